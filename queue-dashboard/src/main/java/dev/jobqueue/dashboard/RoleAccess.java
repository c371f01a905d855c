package dev.jobqueue.dashboard;

import jakarta.servlet.http.HttpServletRequest;
import java.security.Principal;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.security.web.csrf.CsrfToken;

/** With Spring Security: one role looks, another acts. Its own filters have checked the CSRF token of what acts. */
final class RoleAccess implements Access {

    private final String viewRole;
    private final String actRole;
    private final boolean readOnly;

    RoleAccess(String viewRole, String actRole, boolean readOnly) {
        this.viewRole = viewRole;
        this.actRole = actRole;
        this.readOnly = readOnly;
    }

    @Override
    public @Nullable Caller caller(HttpServletRequest request) {
        Principal principal = request.getUserPrincipal();
        if (principal == null) {
            return null;
        }
        boolean operates = request.isUserInRole(actRole);
        if (!operates && !request.isUserInRole(viewRole)) {
            throw Refusal.forbidden("The dashboard needs the role '%s' to look, or the role '%s' to look and act."
                    .formatted(viewRole, actRole));
        }
        return new Caller(principal.getName(), operates && !readOnly);
    }

    @Override
    public @Nullable Map<String, String> csrf(HttpServletRequest request) {
        return request.getAttribute(CsrfToken.class.getName()) instanceof CsrfToken token
                ? Map.of("header", token.getHeaderName(), "token", token.getToken())
                : null;
    }
}
