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
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.HttpMethod;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
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
        assertThat(node.postAs("operator", "/queue/other/pause", "{}").status()).isEqualTo(200);
    }

    @Test
    void showsPayloadsToThoseWithTheRoleOnly() throws Exception {
        assertThat(node.getAs("reader", "/job/" + job).body()).contains("stray").doesNotContain("s3cret");
        assertThat(node.getAs("operator", "/job/" + job).body()).contains("s3cret");
    }

    /** Who may what, as an application would say it. */
    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Security {

        @Bean
        SecurityFilterChain chain(HttpSecurity http) {
            return http.authorizeHttpRequests(requests -> requests.requestMatchers(HttpMethod.POST)
                            .hasRole("OPERATOR")
                            .anyRequest()
                            .authenticated())
                    .csrf(csrf -> csrf.ignoringRequestMatchers("/actuator/**"))
                    .httpBasic(Customizer.withDefaults())
                    .build();
        }

        @Bean
        UserDetailsService users() {
            return new InMemoryUserDetailsManager(
                    User.withUsername("reader")
                            .password("{noop}secret")
                            .roles("READER")
                            .build(),
                    User.withUsername("operator")
                            .password("{noop}secret")
                            .roles("OPERATOR")
                            .build());
        }
    }
}
