package dev.jobqueue.dashboard;

import jakarta.servlet.http.HttpServletRequest;
import java.net.URI;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Refuses requests that pages of other sites may have sent. Browsers say where a request comes from, and no page can
 * change what they say. Of what acts a type of content is asked for besides that no form can send.
 */
final class SameOrigin {

    private SameOrigin() {}

    /** Also where filters of the application let pages of other sites read. */
    static void refuseOtherSites(HttpServletRequest request) {
        String site = request.getHeader("Sec-Fetch-Site");
        if (site != null && !site.equals("same-origin") && !site.equals("none")) {
            throw Refusal.forbidden("Only the dashboard's own pages can ask, and this request comes from elsewhere.");
        }
    }

    static void require(HttpServletRequest request) {
        String site = request.getHeader("Sec-Fetch-Site");
        String origin = request.getHeader("Origin");
        if (site != null && !site.equals("same-origin")) {
            throw Refusal.forbidden("Only the dashboard's own pages can act, and this request comes from elsewhere.");
        }
        if (origin == null && site == null) {
            throw Refusal.forbidden(
                    "A request that acts must have the header Origin, with the address of this server.");
        }
        if (origin != null && !isOwn(origin, request)) {
            throw Refusal.forbidden("Only the dashboard's own pages can act, and this request comes from elsewhere.");
        }
        String type = request.getContentType();
        if (type == null || !type.toLowerCase(Locale.ROOT).startsWith("application/json")) {
            throw Refusal.forbidden("A request that acts must have the Content-Type application/json.");
        }
    }

    /** Behind a proxy the server's name may be known by the Host header, or by what Spring made of forwarded ones. */
    private static boolean isOwn(String origin, HttpServletRequest request) {
        URI uri;
        try {
            uri = URI.create(origin);
        } catch (IllegalArgumentException ex) {
            return false;
        }
        String authority = uri.getRawAuthority();
        return authority != null
                && (authority.equalsIgnoreCase(request.getHeader("Host"))
                        || (request.getServerName().equalsIgnoreCase(uri.getHost())
                                && request.getServerPort() == port(uri)));
    }

    private static int port(URI uri) {
        @Nullable String scheme = uri.getScheme();
        return uri.getPort() >= 0 ? uri.getPort() : "https".equals(scheme) ? 443 : 80;
    }
}
