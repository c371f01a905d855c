package dev.jobqueue.autoconfigure;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Configuration of the job queue.
 *
 * @param enabled whether this application uses the job queue at all
 */
@ConfigurationProperties("queue")
public record QueueProperties(@DefaultValue("true") boolean enabled) {}
