package dev.jobqueue.autoconfigure.endpoint;

import dev.jobqueue.HandlerDefinition;
import dev.jobqueue.postgres.TestDatabase;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A node with a web server, asked over HTTP. */
public final class WebNode implements AutoCloseable {

    /** For nodes that are asked without a login, although Spring Security is on the class path. */
    public static final String WITHOUT_SECURITY = "spring.autoconfigure.exclude="
            + Stream.of(
                            "SecurityAutoConfiguration",
                            "web.servlet.ServletWebSecurityAutoConfiguration",
                            "web.servlet.SecurityFilterAutoConfiguration",
                            "actuate.web.servlet.ManagementWebSecurityAutoConfiguration",
                            "UserDetailsServiceAutoConfiguration")
                    .map("org.springframework.boot.security.autoconfigure."::concat)
                    .collect(Collectors.joining(","))
            // as in application.properties, whose list this replaces
            + ",org.springframework.modulith.events.config.EventPublicationAutoConfiguration";

    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    final ConfigurableApplicationContext context;
    private final int port;

    private WebNode(ConfigurableApplicationContext context) {
        this.context = context;
        this.port = Objects.requireNonNull(((WebServerApplicationContext) context).getWebServer())
                .getPort();
    }

    static WebNode start(TestDatabase database, String... properties) {
        String[] arguments = Stream.concat(
                        Stream.of(
                                "spring.main.banner-mode=off",
                                "server.port=0",
                                "management.endpoints.web.exposure.include=queues",
                                "spring.datasource.url=" + database.jdbcUrl(),
                                "spring.datasource.username=" + database.username(),
                                "spring.datasource.password=" + database.password()),
                        Stream.of(properties))
                .map(property -> "--" + property)
                .toArray(String[]::new);
        return new WebNode(new SpringApplicationBuilder(Application.class).run(arguments));
    }

    Answer get(String path) throws IOException, InterruptedException {
        return send(request(path).GET());
    }

    Answer getAs(String user, String path) throws IOException, InterruptedException {
        return send(authorized(user, request(path)).GET());
    }

    Answer post(String path, String body) throws IOException, InterruptedException {
        return send(request(path).POST(BodyPublishers.ofString(body)));
    }

    Answer postAs(String user, String path, String body) throws IOException, InterruptedException {
        return send(authorized(user, request(path)).POST(BodyPublishers.ofString(body)));
    }

    /** As {@code curl -X POST} does: without a body, and without a word about its type. */
    Answer postNothing(String path) throws IOException, InterruptedException {
        return send(HttpRequest.newBuilder(URI.create("http://localhost:" + port + "/actuator/queues" + path))
                .POST(BodyPublishers.noBody()));
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create("http://localhost:" + port + "/actuator/queues" + path))
                .header("Content-Type", "application/json");
    }

    private static HttpRequest.Builder authorized(String user, HttpRequest.Builder request) {
        String credentials = Base64.getEncoder().encodeToString((user + ":secret").getBytes(StandardCharsets.UTF_8));
        return request.header("Authorization", "Basic " + credentials);
    }

    private static Answer send(HttpRequest.Builder request) throws IOException, InterruptedException {
        HttpResponse<String> response = CLIENT.send(request.build(), BodyHandlers.ofString());
        return new Answer(
                response.statusCode(),
                response.headers().firstValue("Content-Type").orElse(""),
                response.body());
    }

    @Override
    public void close() {
        context.close();
    }

    /** What came back. */
    record Answer(int status, String contentType, String body) {

        JsonNode json() {
            return JsonMapper.shared().readTree(body);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {

        @Bean
        HandlerDefinition work() {
            return HandlerDefinition.of("work", Map.class, (payload, job) -> Map.of("answer", 42));
        }
    }
}
