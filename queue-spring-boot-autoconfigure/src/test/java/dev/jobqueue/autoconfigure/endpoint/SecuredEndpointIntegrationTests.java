package dev.jobqueue.autoconfigure.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.Job;
import dev.jobqueue.JobPublisher;
import dev.jobqueue.postgres.TestDatabase;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.security.autoconfigure.actuate.web.servlet.EndpointRequest;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpMethod;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.http.SessionCreationPolicy;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;

class SecuredEndpointIntegrationTests {

    private static WebNode node;
    private static UUID job;

    @BeforeAll
    static void start() {
        node = WebNode.start(
                TestDatabase.create(),
                "spring.main.sources=" + Security.class.getName(),
                "management.endpoint.queues.access=unrestricted",
                "queue.endpoint.show-payloads=when-authorized",
                "queue.endpoint.roles=OPERATOR");
        job = node.context.getBean(JobPublisher.class).publish(Job.of("stray", Map.of("secret", "s3cret")));
    }

    @AfterAll
    static void stop() {
        node.close();
    }

    @Test
    void refusesWhoeverIsUnknown() throws Exception {
        assertThat(node.get("").status()).isEqualTo(401);
        assertThat(node.post("/job/" + job + "/cancel", "{}").status()).isEqualTo(401);
    }

    @Test
    void letsAReaderLookButNotAct() throws Exception {
        assertThat(node.getAs("reader", "").status()).isEqualTo(200);
        assertThat(node.postAs("reader", "/queue/default/pause", "{}").status()).isEqualTo(403);
    }

    @Test
    void letsAnOperatorAct() throws Exception {
        assertThat(node.postAs("operator", "/queue/default/pause", "{}").status())
                .isEqualTo(200);
        assertThat(node.postAs("operator", "/queue/default/resume", "{}").status())
                .isEqualTo(200);
    }

    @Test
    void showsPayloadsToThoseWithTheRoleOnly() throws Exception {
        assertThat(node.getAs("reader", "/job/" + job).body()).contains("stray").doesNotContain("s3cret");
        assertThat(node.getAs("operator", "/job/" + job).body()).contains("s3cret");
    }

    /** Who may what, as docs/operations.md says it. */
    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Security {

        // snippet: actuator-security
        @Bean
        @Order(1)
        SecurityFilterChain actuator(HttpSecurity http) {
            return http.securityMatcher(EndpointRequest.toAnyEndpoint())
                    .authorizeHttpRequests(requests -> requests.requestMatchers(EndpointRequest.to("health"))
                            .permitAll()
                            .requestMatchers(HttpMethod.POST)
                            .hasRole("OPERATOR")
                            .anyRequest()
                            .hasAnyRole("OPERATOR", "VIEWER"))
                    .sessionManagement(session -> session.sessionCreationPolicy(SessionCreationPolicy.STATELESS))
                    .csrf(csrf -> csrf.disable()) // credentials with every request, no cookie to abuse
                    .httpBasic(Customizer.withDefaults())
                    .build();
        }
        // end

        /** Only looks up: the whole class would replace the passwords by hashes, which take 0.1 s for each request. */
        @Bean
        UserDetailsService users() {
            UserDetailsService users = new InMemoryUserDetailsManager(
                    User.withUsername("reader")
                            .password("{noop}secret")
                            .roles("VIEWER")
                            .build(),
                    User.withUsername("operator")
                            .password("{noop}secret")
                            .roles("OPERATOR")
                            .build());
            return name -> users.loadUserByUsername(name);
        }
    }
}
