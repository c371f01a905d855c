package dev.jobqueue.dashboard.browser;

import dev.jobqueue.JobPublisher;
import dev.jobqueue.operate.JobOperations;
import dev.jobqueue.postgres.TestDatabase;
import dev.jobqueue.schedule.JobSchedules;
import java.util.LinkedHashMap;
import java.util.Map;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.web.server.servlet.context.ServletWebServerApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;

/** An application with the dashboard and Spring Security: ada may act, eve may look. */
final class Shop implements AutoCloseable {

    static final String OPERATOR = "ada";
    static final String VIEWER = "eve";
    static final String PASSWORD = "secret";

    private static final Map<String, Object> DEFAULTS = Map.of(
            "server.port",
            0,
            "spring.application.name",
            "shop",
            "spring.main.banner-mode",
            "off",
            "queue.dashboard.publish",
            true,
            "queue.dashboard.refresh",
            "300ms",
            "queue.worker.shutdown-grace",
            "1s",
            "queue.queues.mail.slots",
            8,
            "queue.queues.reports.slots",
            2,
            "queue.retry[invoice.send].max-attempts",
            2,
            "queue.retry[invoice.send].backoff",
            "10ms");

    private final ServletWebServerApplicationContext context;

    private Shop(ServletWebServerApplicationContext context) {
        this.context = context;
    }

    /** Starts one on a free port, unless a property names one. */
    static Shop start(TestDatabase database, String... properties) {
        Map<String, Object> all = new LinkedHashMap<>(DEFAULTS);
        database.addTo((name, value) -> all.put(name, value.get()));
        for (String property : properties) {
            int equals = property.indexOf('=');
            all.put(property.substring(0, equals), property.substring(equals + 1));
        }
        return new Shop((ServletWebServerApplicationContext)
                new SpringApplicationBuilder(Application.class).properties(all).run());
    }

    int port() {
        return context.getWebServer().getPort();
    }

    /** {@return the address of the dashboard or of a page of it} */
    String url(String path) {
        String contextPath = context.getEnvironment().getProperty("server.servlet.context-path", "");
        return "http://localhost:%d%s/queues/%s".formatted(port(), contextPath, path);
    }

    JobPublisher publisher() {
        return context.getBean(JobPublisher.class);
    }

    JobOperations operations() {
        return context.getBean(JobOperations.class);
    }

    JobSchedules schedules() {
        return context.getBean(JobSchedules.class);
    }

    ShopHandlers handlers() {
        return context.getBean(ShopHandlers.class);
    }

    @Override
    public void close() {
        handlers().finishAll();
        context.close();
    }

    @EnableAutoConfiguration
    @Import(ShopHandlers.class)
    static class Application {

        @Bean
        SecurityFilterChain filters(HttpSecurity http) throws Exception {
            return http.authorizeHttpRequests(requests -> requests.anyRequest().authenticated())
                    .httpBasic(Customizer.withDefaults())
                    .formLogin(Customizer.withDefaults())
                    .build();
        }

        /** Only looks up: the whole class would replace the passwords by hashes, which take 0.1 s for each request. */
        @Bean
        UserDetailsService users() {
            UserDetailsService users = new InMemoryUserDetailsManager(
                    User.withUsername(OPERATOR)
                            .password("{noop}" + PASSWORD)
                            .roles("QUEUE_OPERATOR")
                            .build(),
                    User.withUsername(VIEWER)
                            .password("{noop}" + PASSWORD)
                            .roles("QUEUE_VIEWER")
                            .build());
            return name -> users.loadUserByUsername(name);
        }
    }
}
