package dev.jobqueue.dashboard;

import java.time.Duration;
import java.util.Set;
import java.util.regex.Pattern;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * Configuration of the dashboard.
 *
 * @param enabled whether the dashboard is served
 * @param path where it is served, below the context path of the application
 * @param readOnly whether nobody can act, only look
 * @param publish whether jobs can be published by hand
 * @param viewRole the role of Spring Security that may look
 * @param actRole the role of Spring Security that may look and act
 * @param hosts names besides localhost that the Host header of a request may have, where there is no Spring Security
 * @param mask names of fields and headers whose values nobody sees, wherever their name contains one of these
 * @param maxShown how much of a payload, a result or an error is shown
 * @param refresh how often the figures of open pages are computed, once for all pages of a node
 */
@ConfigurationProperties(prefix = "queue.dashboard", ignoreUnknownFields = false)
public record QueueDashboardProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue("/queues") String path,
        @DefaultValue("false") boolean readOnly,
        @DefaultValue("false") boolean publish,
        @DefaultValue("QUEUE_VIEWER") String viewRole,
        @DefaultValue("QUEUE_OPERATOR") String actRole,
        @DefaultValue Set<String> hosts,

        @DefaultValue({"password", "passwd", "secret", "token", "authorization", "cookie", "apikey", "api-key", "iban"})
        Set<String> mask,

        @DefaultValue("64KB") DataSize maxShown,
        @DefaultValue("1s") Duration refresh) {

    private static final Pattern PATH = Pattern.compile("(/[A-Za-z0-9._~-]+)+");

    /**
     * Refuses an invalid path.
     *
     * @param enabled whether the dashboard is served
     * @param path where it is served, below the context path of the application
     * @param readOnly whether nobody can act, only look
     * @param publish whether jobs can be published by hand
     * @param viewRole the role of Spring Security that may look
     * @param actRole the role of Spring Security that may look and act
     * @param hosts names besides localhost that the Host header of a request may have, where there is no Spring
     *     Security
     * @param mask names of fields and headers whose values nobody sees
     * @param maxShown how much of a payload, a result or an error is shown
     * @param refresh how often the figures of open pages are computed
     */
    public QueueDashboardProperties {
        if (!PATH.matcher(path).matches()) {
            throw new IllegalArgumentException(
                    "queue.dashboard.path is '%s': must be like '/queues', without a slash at its end".formatted(path));
        }
        if (refresh.compareTo(Duration.ofMillis(100)) < 0) {
            throw new IllegalArgumentException(
                    "queue.dashboard.refresh is '%s': must be 100ms or more".formatted(refresh));
        }
    }
}
