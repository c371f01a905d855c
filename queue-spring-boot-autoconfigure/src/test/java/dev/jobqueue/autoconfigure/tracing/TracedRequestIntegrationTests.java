package dev.jobqueue.autoconfigure.tracing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.HandlerDefinition;
import dev.jobqueue.Job;
import dev.jobqueue.JobPublisher;
import dev.jobqueue.autoconfigure.endpoint.WebNode;
import dev.jobqueue.postgres.TestDatabase;
import io.micrometer.tracing.Tracer;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** A request over HTTP with a trace of its own, a publish, and a handler in another application. */
class TracedRequestIntegrationTests {

    private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";

    private final TestDatabase database = TestDatabase.create();

    private ConfigurableApplicationContext start(Class<?> application, String... properties) {
        List<String> arguments = new ArrayList<>(List.of(
                "spring.main.banner-mode=off",
                "server.port=0",
                "management.tracing.sampling.probability=1.0",
                "spring.datasource.url=" + database.jdbcUrl(),
                "spring.datasource.username=" + database.username(),
                "spring.datasource.password=" + database.password(),
                WebNode.WITHOUT_SECURITY));
        arguments.addAll(List.of(properties));
        return new SpringApplicationBuilder(application)
                .run(arguments.stream().map(each -> "--" + each).toArray(String[]::new));
    }

    @Test
    void isOneTraceUpToTheHandlerOnAnotherNode() throws Exception {
        try (ConfigurableApplicationContext web = start(Web.class, "queue.worker.enabled=false");
                ConfigurableApplicationContext worker = start(Worker.class, "spring.main.web-application-type=none")) {
            int port = Objects.requireNonNull(((WebServerApplicationContext) web).getWebServer())
                    .getPort();
            HttpRequest request = HttpRequest.newBuilder(URI.create("http://localhost:" + port + "/orders"))
                    .header("traceparent", "00-" + TRACE + "-00f067aa0ba902b7-01")
                    .POST(BodyPublishers.noBody())
                    .build();
            assertThat(HttpClient.newHttpClient()
                            .send(request, BodyHandlers.ofString())
                            .statusCode())
                    .isEqualTo(200);
            assertThat(worker.getBean(Worker.class).seen.get(60, TimeUnit.SECONDS))
                    .isEqualTo(TRACE);
        }
    }

    /** Takes orders and publishes. */
    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @RestController
    static class Web {

        private final ObjectProvider<JobPublisher> publisher;

        Web(ObjectProvider<JobPublisher> publisher) {
            this.publisher = publisher;
        }

        @PostMapping("/orders")
        String order() {
            return publisher.getObject().publish(Job.of("order", Map.of())).toString();
        }
    }

    /** Handles what was published elsewhere. */
    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Worker {

        private final CompletableFuture<String> seen = new CompletableFuture<>();

        @Bean
        HandlerDefinition order(ObjectProvider<Tracer> tracer) {
            return HandlerDefinition.of("order", Map.class, (payload, job) -> {
                var span = tracer.getObject().currentSpan();
                seen.complete(span == null ? "no trace" : span.context().traceId());
                return null;
            });
        }
    }
}
