package dev.jobqueue.dashboard;

import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Without Spring Security: serves clients on this machine only. The address alone is not enough, because a page on the
 * web can have its own name resolved to 127.0.0.1; so the Host header must name this machine, too. A request that a
 * proxy on this machine passed on comes from elsewhere.
 */
final class LoopbackAccess implements Access {

    private static final Pattern LOOPBACK_ADDRESS =
            Pattern.compile("127(\\.\\d{1,3}){3}|::1|0:0:0:0:0:0:0:1|::ffff:127(\\.\\d{1,3}){3}");

    private static final Pattern LOOPBACK_NAME = Pattern.compile("localhost|127(\\.\\d{1,3}){3}|\\[::1\\]");

    private static final List<String> OF_PROXIES = List.of("Forwarded", "X-Forwarded-For", "X-Real-IP");

    private final Set<String> hosts;
    private final boolean readOnly;

    LoopbackAccess(Set<String> hosts, boolean readOnly) {
        this.hosts = hosts.stream().map(each -> each.toLowerCase(Locale.ROOT)).collect(Collectors.toUnmodifiableSet());
        this.readOnly = readOnly;
    }

    @Override
    public Caller caller(HttpServletRequest request) {
        String address = String.valueOf(request.getRemoteAddr());
        String withoutZone = address.contains("%") ? address.substring(0, address.indexOf('%')) : address;
        boolean proxied = OF_PROXIES.stream().anyMatch(each -> request.getHeader(each) != null);
        if (proxied || !LOOPBACK_ADDRESS.matcher(withoutZone).matches()) {
            throw Refusal.forbidden("The dashboard of the job queue serves this machine only, because the application"
                    + " has no Spring Security. To open it to others, add spring-boot-starter-security and give"
                    + " them the"
                    + " roles that queue.dashboard.view-role and queue.dashboard.act-role name.");
        }
        String host = host(request.getHeader("Host"));
        if (!LOOPBACK_NAME.matcher(host).matches() && !hosts.contains(host)) {
            throw Refusal.forbidden("The dashboard of the job queue does not answer for this Host. Open it as"
                    + " http://localhost, or add the name to queue.dashboard.hosts.");
        }
        return new Caller("local", !readOnly);
    }

    /** The name without the port, in lower case. */
    private static String host(@Nullable String header) {
        return header == null ? "" : header.toLowerCase(Locale.ROOT).replaceFirst(":\\d*$", "");
    }

    @Override
    public @Nullable Map<String, String> csrf(HttpServletRequest request) {
        return null;
    }
}
