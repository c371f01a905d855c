package dev.jobqueue.dashboard;

import org.springframework.http.HttpStatus;

/** A request that is not served, and what its sender is told. */
final class Refusal extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final HttpStatus status;

    Refusal(HttpStatus status, String message) {
        super(message, null, false, false);
        this.status = status;
    }

    static Refusal forbidden(String message) {
        return new Refusal(HttpStatus.FORBIDDEN, message);
    }

    static Refusal missing(String message) {
        return new Refusal(HttpStatus.NOT_FOUND, message);
    }

    static Refusal invalid(String message) {
        return new Refusal(HttpStatus.UNPROCESSABLE_CONTENT, message);
    }

    HttpStatus status() {
        return status;
    }

    String text() {
        return String.valueOf(getMessage());
    }
}
