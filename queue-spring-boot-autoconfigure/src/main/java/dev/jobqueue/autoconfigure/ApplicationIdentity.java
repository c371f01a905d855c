package dev.jobqueue.autoconfigure;

import org.jspecify.annotations.Nullable;
import org.springframework.core.env.Environment;
import org.springframework.util.StringUtils;

/**
 * What an application says of itself.
 *
 * @param name the owner of its schedules and settings; {@code null} if it has none
 * @param version for others to see; empty if it has none
 */
record ApplicationIdentity(@Nullable String name, String version) {

    static ApplicationIdentity of(Environment environment) {
        String name = environment.getProperty("spring.application.name");
        return new ApplicationIdentity(
                StringUtils.hasText(name) ? name : null, environment.getProperty("spring.application.version", ""));
    }
}
