package dev.jobqueue.dashboard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.jobqueue.Flow;
import dev.jobqueue.Job;
import dev.jobqueue.JobPublisher;
import dev.jobqueue.JobState;
import dev.jobqueue.dashboard.DashboardNode.Answer;
import dev.jobqueue.dashboard.DashboardNode.Handlers;
import dev.jobqueue.dashboard.PathCheck.PathTakenException;
import dev.jobqueue.operate.JobOperations;
import dev.jobqueue.postgres.TestDatabase;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.MethodParameter;
import org.springframework.http.HttpInputMessage;
import org.springframework.http.HttpOutputMessage;
import org.springframework.http.MediaType;
import org.springframework.http.converter.AbstractHttpMessageConverter;
import org.springframework.http.converter.HttpMessageConverter;
import org.springframework.http.server.ServerHttpRequest;
import org.springframework.http.server.ServerHttpResponse;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.View;
import org.springframework.web.servlet.ViewResolver;
import org.springframework.web.servlet.config.annotation.ViewControllerRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;
import org.springframework.web.servlet.mvc.method.annotation.ResponseBodyAdvice;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** The dashboard among the pages of applications that have ways of their own. */
@ExtendWith(OutputCaptureExtension.class)
class OtherPagesIntegrationTests {

    private static final TestDatabase DATABASE = TestDatabase.create();

    private static DashboardNode start(Class<?> beans, String... properties) {
        return DashboardNode.start(
                DATABASE,
                beans,
                Stream.concat(Stream.of(DashboardNode.WITHOUT_SECURITY), Arrays.stream(properties))
                        .toArray(String[]::new));
    }

    private static String plain(DashboardNode node, String path) throws Exception {
        return DashboardNode.send(HttpRequest.newBuilder(URI.create(node.origin() + path)))
                .body();
    }

    @Nested
    class AtTheSamePath {

        @ParameterizedTest
        @ValueSource(classes = {Controller.class, ControllerBelow.class, ViewController.class})
        void letTheApplicationFailAtStart(Class<?> pages, CapturedOutput output) {
            assertThatThrownBy(() -> start(pages).close()).isInstanceOf(PathTakenException.class);
            assertThat(output)
                    .contains("The dashboard of the job queue would be served at '/queues', where the application has"
                            + " '/queues")
                    .contains("Set queue.dashboard.path to another path");
        }

        @Test
        void areServedWhereTheDashboardIsMoved() throws Exception {
            try (DashboardNode node = start(Controller.class, "queue.dashboard.path=/internal/queues")) {
                assertThat(plain(node, "/queues")).isEqualTo("checkouts");
                assertThat(node.get("/").body()).contains("assets/app.js");
            }
        }

        @Test
        void areServedBesideItIfTheyAreForAnyPathOrBeginAlike() throws Exception {
            try (DashboardNode node = start(AnyPath.class)) {
                assertThat(plain(node, "/anything")).isEqualTo("any");
                assertThat(plain(node, "/queues-of-checkouts")).isEqualTo("alike");
                assertThat(node.get("/").body()).contains("assets/app.js");
                assertThat(node.get("/api/me").status()).isEqualTo(200);
            }
        }

        @RestController
        static class Controller extends Handlers {
            @GetMapping("/queues")
            String queues() {
                return "checkouts";
            }
        }

        @RestController
        static class ControllerBelow extends Handlers {
            @GetMapping("/queues/{checkout}")
            String queue() {
                return "checkout";
            }
        }

        @Configuration(proxyBeanMethods = false)
        static class ViewController extends Handlers implements WebMvcConfigurer {
            @Override
            public void addViewControllers(ViewControllerRegistry registry) {
                registry.addViewController("/queues/help").setViewName("help");
            }
        }

        @RestController
        static class AnyPath extends Handlers {
            @GetMapping({"/{page}", "/**"})
            String any() {
                return "any";
            }

            @GetMapping("/queues-of-checkouts")
            String alike() {
                return "alike";
            }
        }
    }

    @Nested
    class WithTheirOwnWayToWriteAndShow {

        @Test
        void changeNothing() throws Exception {
            try (DashboardNode node = start(OwnWays.class)) {
                UUID done = node.bean(JobPublisher.class)
                        .publish(Job.of("work", Map.of("orderId", 7)).header("tenantId", "acme"));
                UUID failed = node.bean(JobPublisher.class).publish(Job.of("fail", Map.of("order", 7)));
                UUID flow = node.bean(JobPublisher.class)
                        .publish(Flow.of("orders", "7")
                                .step("pay", Job.of("later", Map.of()).delay(Duration.ofHours(1))));
                await().atMost(Duration.ofSeconds(60))
                        .until(() -> state(node, done) == JobState.COMPLETED && state(node, failed) == JobState.DEAD);

                JsonNode job = json(node.get("/api/jobs/" + done));
                assertThat(job.path("maxAttempts").isInt()).isTrue();
                assertThat(job.path("payload").path("orderId").asInt()).isEqualTo(7);
                assertThat(job.path("events").path(0).path("message").asString())
                        .isEqualTo("done");
                assertThat(job.path("finishedAt").asString()).startsWith("20");
                assertThat(json(node.get("/api/jobs/" + failed))
                                .path("errors")
                                .path(0)
                                .path("attempt")
                                .asInt())
                        .isEqualTo(1);
                assertThat(json(node.get("/api/flows/" + flow))
                                .path("graph")
                                .path("nodes")
                                .path(0)
                                .path("jobId")
                                .isString())
                        .isTrue();
                assertThat(json(node.get("/api/overview")).path("perMinute").isObject())
                        .isTrue();
                assertThat(json(node.post("/api/jobs/" + failed + "/replay", "{}"))
                                .path("state")
                                .asString())
                        .isEqualTo("PENDING");
                assertThat(node.get("/jobs/" + done).body()).contains("assets/app.js");
                assertThat(plain(node, "/own")).isEqualTo("the application's own");
            }
        }

        private static JobState state(DashboardNode node, UUID id) {
            return node.bean(JobOperations.class).find(id).orElseThrow().state();
        }

        private static JsonNode json(Answer answer) {
            assertThat(answer.status()).as(answer.body()).isEqualTo(200);
            return answer.json();
        }

        /** Snake case, times as numbers, one converter and one view for everything, and advice that replaces bodies. */
        @Configuration(proxyBeanMethods = false)
        @Import({OwnPage.class, OwnAdvice.class})
        static class OwnWays extends Handlers implements WebMvcConfigurer {

            @Bean
            JsonMapper mapper() {
                return JsonMapper.builder()
                        .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
                        .enable(SerializationFeature.WRAP_ROOT_VALUE)
                        .build();
            }

            @Bean
            ViewResolver views() {
                View own = (model, request, response) -> response.getWriter().print("a view");
                return (String name, Locale locale) -> own;
            }

            @Bean
            HttpMessageConverter<Object> converter() {
                return new OwnConverter();
            }
        }

        static final class OwnConverter extends AbstractHttpMessageConverter<Object> {

            OwnConverter() {
                super(MediaType.ALL);
            }

            @Override
            protected boolean supports(Class<?> type) {
                return true;
            }

            @Override
            protected Object readInternal(Class<?> type, HttpInputMessage input) {
                return "read";
            }

            @Override
            protected void writeInternal(Object value, HttpOutputMessage output) throws IOException {
                output.getBody().write(String.valueOf(value).getBytes(StandardCharsets.UTF_8));
            }
        }

        @RestController
        static class OwnPage {
            @GetMapping("/own")
            List<String> own() {
                return List.of("replaced below");
            }
        }

        @ControllerAdvice
        static class OwnAdvice implements ResponseBodyAdvice<Object> {

            @Override
            public boolean supports(MethodParameter type, Class<? extends HttpMessageConverter<?>> converter) {
                return true;
            }

            @Override
            public Object beforeBodyWrite(
                    Object body,
                    MethodParameter type,
                    MediaType media,
                    Class<? extends HttpMessageConverter<?>> converter,
                    ServerHttpRequest request,
                    ServerHttpResponse response) {
                return "the application's own";
            }
        }
    }
}
