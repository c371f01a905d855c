package dev.jobqueue.sample;

import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.MessageSourceResolvable;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.http.converter.HttpMessageNotReadableException;
import org.springframework.transaction.CannotCreateTransactionException;
import org.springframework.validation.FieldError;
import org.springframework.web.bind.MethodArgumentNotValidException;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.context.request.WebRequest;
import org.springframework.web.method.annotation.HandlerMethodValidationException;
import org.springframework.web.servlet.mvc.method.annotation.ResponseEntityExceptionHandler;
import tools.jackson.core.JacksonException;

/** Answers every error with problem details (RFC 9457): which field is wrong and why, and nothing of the inside. */
@RestControllerAdvice
class ProblemAdvice extends ResponseEntityExceptionHandler {

    private static final Logger log = LoggerFactory.getLogger(ProblemAdvice.class);

    @Override
    protected @Nullable ResponseEntity<Object> handleMethodArgumentNotValid(
            MethodArgumentNotValidException ex, HttpHeaders headers, HttpStatusCode status, WebRequest request) {
        return invalid(ex, ex.getBody(), ex.getFieldErrors().stream().map(ProblemAdvice::describe), request);
    }

    @Override
    protected @Nullable ResponseEntity<Object> handleHandlerMethodValidationException(
            HandlerMethodValidationException ex, HttpHeaders headers, HttpStatusCode status, WebRequest request) {
        Stream<String> errors = ex.getParameterValidationResults().stream()
                .flatMap(result -> result.getResolvableErrors().stream()
                        .map(error -> result.getMethodParameter().getParameterName() + " " + message(error)));
        return invalid(ex, ex.getBody(), errors, request);
    }

    @Override
    protected @Nullable ResponseEntity<Object> handleHttpMessageNotReadable(
            HttpMessageNotReadableException ex, HttpHeaders headers, HttpStatusCode status, WebRequest request) {
        String error = "the body must be a JSON object";
        if (ex.getCause() instanceof JacksonException cause && !cause.getPath().isEmpty()) {
            error = cause.getPath().get(0).getPropertyName() + " cannot be read";
        }
        return invalid(ex, ProblemDetail.forStatus(status), Stream.of(error), request);
    }

    private @Nullable ResponseEntity<Object> invalid(
            Exception ex, ProblemDetail problem, Stream<String> errors, WebRequest request) {
        List<String> sorted = errors.sorted().toList();
        problem.setDetail(String.join("; ", sorted));
        problem.setProperty("errors", sorted);
        return handleExceptionInternal(ex, problem, HttpHeaders.EMPTY, HttpStatus.BAD_REQUEST, request);
    }

    private static String describe(FieldError error) {
        return error.getField() + " " + message(error);
    }

    private static String message(MessageSourceResolvable error) {
        return String.valueOf(error.getDefaultMessage());
    }

    @ExceptionHandler
    ProblemDetail unavailable(DataAccessResourceFailureException ex) {
        return unavailable();
    }

    @ExceptionHandler
    ProblemDetail unavailable(CannotCreateTransactionException ex) {
        return unavailable();
    }

    private static ProblemDetail unavailable() {
        return ProblemDetail.forStatusAndDetail(
                HttpStatus.SERVICE_UNAVAILABLE, "The database does not answer; try again later.");
    }

    @ExceptionHandler
    ProblemDetail unexpected(Exception ex) {
        log.error("Unexpected error", ex);
        return ProblemDetail.forStatusAndDetail(HttpStatus.INTERNAL_SERVER_ERROR, "Something went wrong on our side.");
    }
}
