package dev.jobqueue.dashboard;

import static dev.jobqueue.dashboard.DashboardNode.as;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.Job;
import dev.jobqueue.JobPublisher;
import dev.jobqueue.JobState;
import dev.jobqueue.dashboard.DashboardNode.Answer;
import dev.jobqueue.operate.JobOperations;
import dev.jobqueue.postgres.TestDatabase;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;
import tools.jackson.databind.JsonNode;

class DashboardSecurityIntegrationTests {

    private static final TestDatabase DATABASE = TestDatabase.create();

    private static UUID later(DashboardNode node) {
        return node.bean(JobPublisher.class).publish(Job.of("later", Map.of()).delay(Duration.ofHours(1)));
    }

    private static JobState state(DashboardNode node, UUID id) {
        return node.bean(JobOperations.class).find(id).orElseThrow().state();
    }

    private static String[] both(String[] one, String... other) {
        return Stream.of(one, other).flatMap(Stream::of).toArray(String[]::new);
    }

    @Nested
    class WithSpringSecurity {

        private static DashboardNode node;
        private static UUID job;

        @BeforeAll
        static void start() {
            node = DashboardNode.start(DATABASE, OpenShop.class);
            job = later(node);
        }

        @AfterAll
        static void stop() {
            node.close();
        }

        /** The session and the token that a page of this user would act with. */
        private static String[] session(String user) throws Exception {
            Answer me = node.get("/api/me", as(user));
            JsonNode csrf = me.json().path("csrf");
            String cookie = me.header("Set-Cookie").replaceFirst(";.*", "");
            return both(
                    as(user),
                    "Cookie",
                    cookie,
                    csrf.path("header").asString(),
                    csrf.path("token").asString());
        }

        @Test
        void showsNothingToStrangersAlsoWhereTheApplicationLetsThemIn() throws Exception {
            for (String path : new String[] {"/api/me", "/api/jobs", "/api/stream", "/api/jobs/" + job}) {
                Answer answer = node.get(path);
                assertThat(answer.status()).as(path).isEqualTo(401);
                assertThat(answer.header("Content-Type")).startsWith("application/problem+json");
            }
            assertThat(node.get("/").status())
                    .as("the application's own way to ask")
                    .isIn(302, 401);
            assertThat(node.get("/assets/app.js").status()).isIn(302, 401);
            assertThat(node.get("/").body()).doesNotContain("assets/app.js");
        }

        @Test
        void showsNothingToUsersWithoutARole() throws Exception {
            assertThat(node.get("/api/me", as("nobody")).status()).isEqualTo(403);
            assertThat(node.get("/", as("nobody")).status()).isEqualTo(403);
            assertThat(node.get("/api/me", as("nobody")).json().path("detail").asString())
                    .contains("QUEUE_VIEWER", "QUEUE_OPERATOR");
        }

        @Test
        void letsViewersLookButNotActByHandMadeRequests() throws Exception {
            assertThat(node.get("/api/me", as("viewer")).json().path("canAct").asBoolean())
                    .isFalse();
            assertThat(node.get("/api/jobs", as("viewer")).status()).isEqualTo(200);
            assertThat(node.get("/", as("viewer")).body()).contains("assets/app.js");

            for (String path : new String[] {
                "/api/jobs/" + job + "/cancel", "/api/queues/pause", "/api/jobs/actions", "/api/publish"
            }) {
                assertThat(node.post(path, "{}", session("viewer")).status())
                        .as(path)
                        .isEqualTo(403);
            }
            assertThat(state(node, job)).isEqualTo(JobState.SCHEDULED);
        }

        @Test
        void letsOperatorsActWithTheTokenOfTheirSession() throws Exception {
            UUID id = later(node);
            assertThat(node.post("/api/jobs/" + id + "/cancel", "{}", as("operator"))
                            .status())
                    .as("without a token")
                    .isEqualTo(403);
            assertThat(state(node, id)).isEqualTo(JobState.SCHEDULED);

            Answer answer = node.post("/api/jobs/" + id + "/cancel", "{}", session("operator"));
            assertThat(answer.status()).as(answer.body()).isEqualTo(200);
            assertThat(state(node, id)).isEqualTo(JobState.CANCELLED);
            assertThat(node.get("/api/audit", as("viewer"))
                            .json()
                            .path("entries")
                            .path(0)
                            .path("user")
                            .asString())
                    .isEqualTo("operator");
        }

        @Test
        void refusesWhatOtherSitesSendAlsoWithTheToken() throws Exception {
            UUID id = later(node);
            String[] session = session("operator");
            for (String[] from : new String[][] {
                {"Origin", "https://evil.example"},
                {"Origin", node.origin(), "Sec-Fetch-Site", "cross-site"},
                {"Origin", "null"},
                {"X-Nothing", "no origin at all"}
            }) {
                Answer answer = DashboardNode.send(
                        DashboardNode.with(node.bare("/api/jobs/" + id + "/cancel"), both(session, from))
                                .header("Content-Type", "application/json")
                                .POST(BodyPublishers.ofString("{}")));
                assertThat(answer.status()).as(from[1]).isEqualTo(403);
            }
            assertThat(state(node, id)).isEqualTo(JobState.SCHEDULED);
        }

        @Test
        void publishesNothingByHandUnlessItIsTold() throws Exception {
            assertThat(node.get("/api/me", as("operator"))
                            .json()
                            .path("canPublish")
                            .asBoolean())
                    .isFalse();
            Answer answer = node.post("/api/publish", "{\"type\": \"x\"}", session("operator"));
            assertThat(answer.status()).isEqualTo(403);
            assertThat(answer.json().path("detail").asString()).contains("queue.dashboard.publish");
        }
    }

    @Nested
    class AsTheGuideSays {

        @Test
        void leadsToTheLoginOfTheApplication() throws Exception {
            try (DashboardNode node = DashboardNode.start(DATABASE, GuideSecurity.class)) {
                assertThat(node.get("/", "Accept", "text/html").status()).isEqualTo(302);
                assertThat(node.get("/", "Accept", "text/html").header("Location"))
                        .endsWith("/login");
                assertThat(node.get("/api/me", as("viewer")).status()).isEqualTo(200);
                assertThat(node.get("/api/me", as("nobody")).status()).isEqualTo(403);
            }
        }
    }

    @Nested
    class WhereItIsReadOnly {

        @Test
        void nobodyCanAct() throws Exception {
            try (DashboardNode node = DashboardNode.local(DATABASE, "queue.dashboard.read-only=true")) {
                UUID id = later(node);
                assertThat(node.get("/api/me").json().path("readOnly").asBoolean())
                        .isTrue();
                assertThat(node.get("/api/me").json().path("canAct").asBoolean())
                        .isFalse();
                assertThat(node.post("/api/jobs/" + id + "/cancel", "{}").status())
                        .isEqualTo(403);
                assertThat(state(node, id)).isEqualTo(JobState.SCHEDULED);
            }
        }
    }

    @Nested
    class WithoutSpringSecurity {

        @Test
        void answersForNamesOfThisMachineOnly() throws Exception {
            try (DashboardNode node = DashboardNode.local(DATABASE, "queue.dashboard.hosts=dev.local")) {
                assertThat(status(node, "localhost")).isEqualTo(200);
                assertThat(status(node, "dev.local:80")).isEqualTo(200);
                assertThat(status(node, "rebound.evil.example")).isEqualTo(403);
                assertThat(node.get("/", "X-Forwarded-For", "203.0.113.7").body())
                        .contains("spring-boot-starter-security");
            }
        }

        /** The first address of the header is what the client wrote: proxies add theirs behind it. */
        @ParameterizedTest
        @CsvSource({"framework, 200", "native, 403", "none, 200"})
        void believesNoForwardedHeaderThatClaimsToBeThisMachine(String strategy, int otherwise) throws Exception {
            try (DashboardNode node = DashboardNode.local(DATABASE, "server.forward-headers-strategy=" + strategy)) {
                assertThat(node.get("/api/me").status()).isEqualTo(otherwise);
                for (String header : new String[] {"X-Forwarded-For", "X-Forwarded-Host", "X-Real-IP"}) {
                    assertThat(node.get("/api/me", header, "127.0.0.1").status())
                            .as(header)
                            .isEqualTo(403);
                }
                assertThat(node.get("/api/me", "X-Forwarded-For", "127.0.0.1, 203.0.113.7")
                                .status())
                        .isEqualTo(403);
                assertThat(node.get("/api/me", "Forwarded", "for=127.0.0.1").status())
                        .isEqualTo(403);
            }
        }

        /** By hand, because clients set the header themselves. */
        private static int status(DashboardNode node, String host) throws IOException {
            try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), node.port)) {
                socket.getOutputStream()
                        .write(("GET /queues/api/me HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n")
                                .getBytes(StandardCharsets.US_ASCII));
                String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
                return Integer.parseInt(answer.substring(9, 12));
            }
        }
    }

    /** As docs/dashboard.md says it. */
    @Configuration(proxyBeanMethods = false)
    static class GuideSecurity extends Users {

        // snippet: dashboard-security
        @Bean
        SecurityFilterChain web(HttpSecurity http) {
            return http.authorizeHttpRequests(requests -> requests.requestMatchers("/queues/**")
                            .hasAnyRole("QUEUE_VIEWER", "QUEUE_OPERATOR")
                            .anyRequest()
                            .authenticated()) // your own rules
                    .formLogin(Customizer.withDefaults())
                    .httpBasic(Customizer.withDefaults())
                    .build();
        }
        // end
    }

    /** An application that lets everybody in everywhere, which the dashboard does not rely on. */
    @Configuration(proxyBeanMethods = false)
    static class OpenShop extends Users {

        @Bean
        SecurityFilterChain all(HttpSecurity http) {
            return http.authorizeHttpRequests(requests -> requests.anyRequest().permitAll())
                    .httpBasic(Customizer.withDefaults())
                    .build();
        }
    }

    /** Nobody in particular, somebody who looks, and somebody who acts. */
    static class Users {

        /** Only looks up: the whole class would replace the passwords by hashes, which take 0.1 s for each request. */
        @Bean
        UserDetailsService users() {
            UserDetailsService users = new InMemoryUserDetailsManager(
                    user("nobody"), user("viewer", "QUEUE_VIEWER"), user("operator", "QUEUE_OPERATOR"));
            return name -> users.loadUserByUsername(name);
        }

        private static org.springframework.security.core.userdetails.UserDetails user(String name, String... roles) {
            return User.withUsername(name).password("{noop}secret").roles(roles).build();
        }
    }
}
