package dev.jobqueue.dashboard;

import dev.jobqueue.JobContext;
import dev.jobqueue.JobHandler;
import dev.jobqueue.PermanentJobException;
import dev.jobqueue.postgres.TestDatabase;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** An application with the dashboard, asked over HTTP as its pages do. */
final class DashboardNode implements AutoCloseable {

    static final String WITHOUT_SECURITY = "spring.autoconfigure.exclude="
            + "org.springframework.boot.security.autoconfigure.SecurityAutoConfiguration,"
            + "org.springframework.boot.security.autoconfigure.web.servlet.ServletWebSecurityAutoConfiguration,"
            + "org.springframework.boot.security.autoconfigure.web.servlet.SecurityFilterAutoConfiguration,"
            + "org.springframework.boot.security.autoconfigure.UserDetailsServiceAutoConfiguration";

    static final HttpClient CLIENT = HttpClient.newHttpClient();

    final ConfigurableApplicationContext context;
    final int port;
    private final String path;

    private DashboardNode(ConfigurableApplicationContext context) {
        this.context = context;
        this.port = Objects.requireNonNull(((WebServerApplicationContext) context).getWebServer())
                .getPort();
        this.path = context.getEnvironment().getProperty("server.servlet.context-path", "")
                + context.getEnvironment().getProperty("queue.dashboard.path", "/queues");
    }

    static DashboardNode start(TestDatabase database, Class<?> beans, String... properties) {
        String[] arguments = Stream.concat(
                        Stream.of(
                                "spring.main.banner-mode=off",
                                "server.port=0",
                                "spring.datasource.url=" + database.jdbcUrl(),
                                "spring.datasource.username=" + database.username(),
                                "spring.datasource.password=" + database.password()),
                        Arrays.stream(properties))
                .map(property -> "--" + property)
                .toArray(String[]::new);
        return new DashboardNode(new SpringApplicationBuilder(Application.class, beans)
                .properties("queue.dashboard.refresh=100ms")
                .run(arguments));
    }

    /** On this machine and without Spring Security. */
    static DashboardNode local(TestDatabase database, String... properties) {
        List<String> all = new ArrayList<>(List.of(WITHOUT_SECURITY));
        all.addAll(List.of(properties));
        return start(database, Handlers.class, all.toArray(String[]::new));
    }

    String origin() {
        return "http://localhost:" + port;
    }

    URI uri(String below) {
        return URI.create(origin() + path + below);
    }

    /** A request with no more than its address. */
    HttpRequest.Builder bare(String below) {
        return HttpRequest.newBuilder(uri(below));
    }

    Answer get(String below, String... headers) throws IOException, InterruptedException {
        return send(with(bare(below), headers).GET());
    }

    /** As a page of the dashboard acts. */
    Answer post(String below, Object body, String... headers) throws IOException, InterruptedException {
        String json = body instanceof String text ? text : JsonMapper.shared().writeValueAsString(body);
        return send(with(bare(below), headers)
                .header("Origin", origin())
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(json)));
    }

    static HttpRequest.Builder with(HttpRequest.Builder request, String... headers) {
        return headers.length == 0 ? request : request.headers(headers);
    }

    /** The header with which a user of the tests says who it is. */
    static String[] as(String user) {
        String credentials = Base64.getEncoder().encodeToString((user + ":secret").getBytes(StandardCharsets.UTF_8));
        return new String[] {"Authorization", "Basic " + credentials};
    }

    static Answer send(HttpRequest.Builder request) throws IOException, InterruptedException {
        return new Answer(CLIENT.send(request.build(), BodyHandlers.ofString()));
    }

    <T> T bean(Class<T> type) {
        return context.getBean(type);
    }

    @Override
    public void close() {
        context.close();
    }

    /** What came back. */
    record Answer(HttpResponse<String> response) {

        int status() {
            return response.statusCode();
        }

        String body() {
            return response.body();
        }

        String header(String name) {
            return response.headers().firstValue(name).orElse("");
        }

        JsonNode json() {
            return JsonMapper.shared().readTree(body());
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {}

    /** Handlers of the tests. */
    static class Handlers {

        @JobHandler("work")
        Map<String, Object> work(Map<String, Object> payload, JobContext job) {
            job.log("done");
            return Map.of("answer", 42, "token", "t0ken");
        }

        @JobHandler("fail")
        void fail(Map<String, Object> payload) {
            throw new PermanentJobException("no order " + payload.get("order"));
        }
    }
}
