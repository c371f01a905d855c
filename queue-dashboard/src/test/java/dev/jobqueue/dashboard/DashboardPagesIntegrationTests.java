package dev.jobqueue.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.dashboard.DashboardNode.Answer;
import dev.jobqueue.dashboard.DashboardNode.Handlers;
import dev.jobqueue.postgres.TestDatabase;
import java.net.http.HttpRequest.BodyPublishers;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.bind.annotation.RestControllerAdvice;

class DashboardPagesIntegrationTests {

    private static final TestDatabase DATABASE = TestDatabase.create();

    @Nested
    class WithDefaults {

        private static DashboardNode node;

        @BeforeAll
        static void start() {
            node = DashboardNode.start(DATABASE, Shop.class, DashboardNode.WITHOUT_SECURITY);
        }

        @AfterAll
        static void stop() {
            node.close();
        }

        @Test
        void leadsToTheFolder() throws Exception {
            Answer answer = node.get("");
            assertThat(answer.status()).isEqualTo(302);
            assertThat(answer.header("Location")).isEqualTo("/queues/");
            assertThat(node.get("?window=1d").header("Location")).isEqualTo("/queues/?window=1d");
        }

        /** A filter of the application may let them read all its answers; a link may lead here from anywhere. */
        @Test
        void answersNoCallsOfOtherSites() throws Exception {
            for (String site : new String[] {"cross-site", "same-site"}) {
                assertThat(node.get("/api/overview", "Sec-Fetch-Site", site).status())
                        .isEqualTo(403);
                assertThat(node.get("/api/stream", "Sec-Fetch-Site", site).status())
                        .isEqualTo(403);
                assertThat(node.get("/jobs", "Sec-Fetch-Site", site).status()).isEqualTo(200);
            }
            assertThat(node.get("/api/overview", "Sec-Fetch-Site", "same-origin")
                            .status())
                    .isEqualTo(200);
        }

        /** An answer without a body would stay open for ever. */
        @Test
        void streamsOnlyToThoseWhoRead() throws Exception {
            Answer answer = DashboardNode.send(node.bare("/api/stream")
                    .method("HEAD", BodyPublishers.noBody())
                    .timeout(Duration.ofSeconds(30)));
            assertThat(answer.status()).isEqualTo(405);
        }

        @Test
        void servesFilesOfItsFolderAndNothingElse() throws Exception {
            Answer file = node.get("/assets/lit-html.js");
            assertThat(file.status()).isEqualTo(200);
            assertThat(file.header("Content-Type")).isEqualTo("text/javascript;charset=utf-8");
            assertThat(file.header("Cache-Control")).isEqualTo("no-cache");
            assertThat(node.get("/assets/lit-html.js", "If-None-Match", file.header("ETag"))
                            .status())
                    .isEqualTo(304);
            for (String path : new String[] {
                "/assets/nothing.js",
                "/assets/..%2Findex.html",
                "/assets/../index.html",
                "/assets/%2e%2e/QueueDashboardProperties.class",
                "/assets/",
                "/assets/index.html"
            }) {
                assertThat(node.get(path).status()).as(path).isIn(400, 404);
            }
        }

        @Test
        void isNotServedAsAStaticResource() throws Exception {
            for (String path :
                    new String[] {"/assets/lit-html.js", "/lit-html.js", "/dev/jobqueue/dashboard/index.html"}) {
                assertThat(DashboardNode.send(
                                        java.net.http.HttpRequest.newBuilder(java.net.URI.create(node.origin() + path)))
                                .status())
                        .as(path)
                        .isEqualTo(404);
            }
        }

        @Test
        void hasStrictHeaders() throws Exception {
            for (String path : new String[] {"/api/me", "/", "/assets/lit-html.js", "/api/nothing"}) {
                Answer answer = node.get(path);
                assertThat(answer.header("Content-Security-Policy"))
                        .startsWith("default-src 'none'; script-src 'self'")
                        .doesNotContain("unsafe");
                assertThat(answer.header("X-Content-Type-Options")).isEqualTo("nosniff");
                assertThat(answer.header("X-Frame-Options")).isEqualTo("DENY");
            }
            assertThat(node.get("/api/me").header("Cache-Control")).contains("no-store");
        }

        @Test
        void leavesThePagesOfTheApplicationAlone() throws Exception {
            assertThat(plain("/shop").body()).isEqualTo("shop");
            assertThat(plain("/shop").header("Content-Security-Policy")).isEmpty();
            assertThat(plain("/nothing").status()).isEqualTo(404);
        }

        @Test
        void answersItsOwnErrorsItself() throws Exception {
            Answer answer = node.get("/api/nothing");
            assertThat(answer.status()).isEqualTo(404);
            assertThat(answer.header("Content-Type")).startsWith("application/problem+json");
            assertThat(answer.body()).doesNotContain("the shop's own");
            assertThat(node.post("/api/me", "{}").status()).isEqualTo(404);
            assertThat(node.post("/jobs", "{}").status()).isEqualTo(405);
        }

        private Answer plain(String path) throws Exception {
            return DashboardNode.send(java.net.http.HttpRequest.newBuilder(java.net.URI.create(node.origin() + path)));
        }
    }

    @Nested
    class BelowOtherPaths {

        @Test
        void knowsContextPathAndPrefixOfAProxy() throws Exception {
            try (DashboardNode node = DashboardNode.start(
                    DATABASE,
                    DashboardSecurityIntegrationTests.GuideSecurity.class,
                    "server.servlet.context-path=/shop",
                    "queue.dashboard.path=/internal/jobs",
                    "server.forward-headers-strategy=framework")) {
                assertThat(node.get("/api/me", through()).status()).isEqualTo(200);
                assertThat(node.get("", through()).header("Location")).isEqualTo("/shop/internal/jobs/");
                assertThat(node.get("/", through("X-Forwarded-Prefix", "/edge/shop"))
                                .body())
                        .contains("<base href=\"/edge/shop/internal/jobs/\">");
                assertThat(node.get("", through("X-Forwarded-Prefix", "/edge/shop"))
                                .header("Location"))
                        .endsWith("/edge/shop/internal/jobs/");
                assertThat(node.get("/", through("X-Forwarded-Prefix", "/\"><script>"))
                                .body())
                        .contains("internal/jobs/")
                        .doesNotContain("\"><script>");
            }
        }

        /** Headers of somebody who may look. */
        private static String[] through(String... headers) {
            return Stream.of(DashboardNode.as("viewer"), headers)
                    .flatMap(Stream::of)
                    .toArray(String[]::new);
        }

        @Test
        void isServedBelowThePathOfTheDispatcher() throws Exception {
            try (DashboardNode node = DashboardNode.local(DATABASE, "spring.mvc.servlet.path=/app")) {
                Answer answer = DashboardNode.send(
                        java.net.http.HttpRequest.newBuilder(java.net.URI.create(node.origin() + "/app/queues")));
                assertThat(answer.header("Location")).isEqualTo("/app/queues/");
            }
        }
    }

    /** An application that answers all errors in its own way. */
    @TestConfiguration(proxyBeanMethods = false)
    @org.springframework.context.annotation.Import({ShopController.class, ShopErrors.class})
    static class Shop extends Handlers {}

    @RestController
    static class ShopController {

        @GetMapping("/shop")
        String shop() {
            return "shop";
        }
    }

    @RestControllerAdvice
    static class ShopErrors {

        @ExceptionHandler(IllegalStateException.class)
        String any(IllegalStateException ex) {
            return "the shop's own";
        }
    }
}
