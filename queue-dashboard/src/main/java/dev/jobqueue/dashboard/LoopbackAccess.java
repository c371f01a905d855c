package dev.jobqueue.dashboard;

import jakarta.servlet.ServletRequestWrapper;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Collections;
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
 *
 * <p>All of that is asked of the connection itself. Where the application believes forwarded headers, the address of
 * the request is what somebody wrote into one, and the headers are hidden from whoever asks for them.
 */
final class LoopbackAccess implements Access {

    private static final Pattern LOOPBACK_ADDRESS =
            Pattern.compile("127(\\.\\d{1,3}){3}|::1|0:0:0:0:0:0:0:1|::ffff:127(\\.\\d{1,3}){3}");

    private static final Pattern LOOPBACK_NAME = Pattern.compile("localhost|127(\\.\\d{1,3}){3}|\\[::1\\]");

    private static final Pattern OF_PROXIES = Pattern.compile("(?i)forwarded|x-forwarded-.*|x-real-ip|via");

    /**
     * That Tomcat looks for such headers itself, by {@code server.forward-headers-strategy=native}. It hides what it
     * found and where the connection came from, so that nobody can be told apart from this machine.
     */
    private static final String FORWARDED_BY_TOMCAT = "org.apache.tomcat.request.forwarded";

    private final Set<String> hosts;
    private final boolean readOnly;

    LoopbackAccess(Set<String> hosts, boolean readOnly) {
        this.hosts = hosts.stream().map(each -> each.toLowerCase(Locale.ROOT)).collect(Collectors.toUnmodifiableSet());
        this.readOnly = readOnly;
    }

    @Override
    public Caller caller(HttpServletRequest request) {
        HttpServletRequest connection = connection(request);
        String address = String.valueOf(connection.getRemoteAddr());
        String withoutZone = address.contains("%") ? address.substring(0, address.indexOf('%')) : address;
        if (isProxied(connection) || !LOOPBACK_ADDRESS.matcher(withoutZone).matches()) {
            throw Refusal.forbidden("The dashboard of the job queue serves this machine only, because the application"
                    + " has no Spring Security. To open it to others, add spring-boot-starter-security and give them"
                    + " the roles that queue.dashboard.view-role and queue.dashboard.act-role name.");
        }
        String host = host(connection.getHeader("Host"));
        if (!LOOPBACK_NAME.matcher(host).matches() && !hosts.contains(host)) {
            throw Refusal.forbidden("The dashboard of the job queue does not answer for this Host. Open it as"
                    + " http://localhost, or add the name to queue.dashboard.hosts.");
        }
        return new Caller("local", !readOnly);
    }

    /** The request as it was before filters made another of it. */
    private static HttpServletRequest connection(HttpServletRequest request) {
        HttpServletRequest innermost = request;
        while (innermost instanceof ServletRequestWrapper wrapper
                && wrapper.getRequest() instanceof HttpServletRequest wrapped) {
            innermost = wrapped;
        }
        return innermost;
    }

    private static boolean isProxied(HttpServletRequest connection) {
        return connection.getAttribute(FORWARDED_BY_TOMCAT) != null
                || Collections.list(connection.getHeaderNames()).stream()
                        .anyMatch(each -> OF_PROXIES.matcher(each).matches());
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
