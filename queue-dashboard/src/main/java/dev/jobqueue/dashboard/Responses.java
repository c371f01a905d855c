package dev.jobqueue.dashboard;

import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import tools.jackson.databind.json.JsonMapper;

/** Writes answers, with headers of their own and a mapper of their own: nothing of the application's is used. */
final class Responses {

    static final String POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
            + " connect-src 'self'; font-src 'self'; base-uri 'self'; form-action 'none'; frame-ancestors 'none'";

    static final JsonMapper MAPPER = JsonMapper.builder().build();

    private Responses() {}

    static void secure(HttpServletResponse response) {
        response.setHeader("Content-Security-Policy", POLICY);
        response.setHeader("X-Content-Type-Options", "nosniff");
        response.setHeader("X-Frame-Options", "DENY");
        response.setHeader("Referrer-Policy", "no-referrer");
        response.setHeader("Cross-Origin-Opener-Policy", "same-origin");
        response.setHeader("Cross-Origin-Resource-Policy", "same-origin");
        response.setHeader("Cache-Control", "no-store");
    }

    static void json(HttpServletResponse response, @Nullable Object body) throws IOException {
        write(response, HttpStatus.OK, "application/json", MAPPER.writeValueAsBytes(body));
    }

    static void problem(HttpServletResponse response, HttpStatus status, String detail) throws IOException {
        Map<String, Object> problem = new LinkedHashMap<>();
        problem.put("status", status.value());
        problem.put("title", status.getReasonPhrase());
        problem.put("detail", detail);
        write(response, status, "application/problem+json", MAPPER.writeValueAsBytes(problem));
    }

    static void text(HttpServletResponse response, HttpStatus status, String text) throws IOException {
        write(response, status, "text/plain;charset=utf-8", (text + "\n").getBytes(StandardCharsets.UTF_8));
    }

    /** By the status and not by an error, which would call for the error page of the application. */
    static void write(HttpServletResponse response, HttpStatus status, String type, byte[] body) throws IOException {
        response.setStatus(status.value());
        response.setContentType(type);
        response.setContentLength(body.length);
        response.getOutputStream().write(body);
    }
}
