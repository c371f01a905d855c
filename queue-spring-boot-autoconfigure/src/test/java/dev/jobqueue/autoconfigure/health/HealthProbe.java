package dev.jobqueue.autoconfigure.health;

import java.util.Map;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.ApplicationContext;

/** Asks for the health of the queue and finds its way in the details. */
final class HealthProbe {

    private HealthProbe() {}

    static Health health(ApplicationContext context) {
        return context.getBean("queueHealthIndicator", HealthIndicator.class).health();
    }

    static Object detail(Health health, String... path) {
        Object value = health.getDetails();
        for (String name : path) {
            value = ((Map<?, ?>) value).get(name);
        }
        return value;
    }

    static Level state(Health health) {
        return (Level) health.getDetails().get("state");
    }

    static String problems(Health health) {
        return String.valueOf(health.getDetails().get("problems"));
    }
}
