package dev.jobqueue.dashboard;

import dev.jobqueue.InvalidJobException;
import dev.jobqueue.JobNotFoundException;
import java.sql.SQLException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.dao.InvalidDataAccessResourceUsageException;
import org.springframework.http.HttpStatus;
import org.springframework.transaction.TransactionException;

/** What a caller is told of an exception; what is not the caller's fault is logged. */
final class Failures {

    private static final Logger log = LoggerFactory.getLogger(Failures.class);

    private static final String DENIED = "42501";

    private Failures() {}

    static Refusal refusal(RuntimeException ex, String what) {
        if (ex instanceof Refusal refusal) {
            return refusal;
        }
        if (ex instanceof JobNotFoundException) {
            return Refusal.missing(String.valueOf(ex.getMessage()));
        }
        if (ex instanceof InvalidJobException) {
            return Refusal.invalid(String.valueOf(ex.getMessage()));
        }
        if (isDenied(ex)) {
            log.warn("The dashboard may not do this in the database: {}", what, ex);
            return Refusal.forbidden(
                    "The database user of this application may not do this. To act takes the role queue_operator.");
        }
        boolean ours =
                ex instanceof DataIntegrityViolationException || ex instanceof InvalidDataAccessResourceUsageException;
        if (!ours && (ex instanceof DataAccessException || ex instanceof TransactionException)) {
            log.debug("The database did not answer the dashboard: {}", what, ex);
            return new Refusal(HttpStatus.SERVICE_UNAVAILABLE, "The database does not answer.");
        }
        log.error("The dashboard could not answer: {}", what, ex);
        return new Refusal(
                HttpStatus.INTERNAL_SERVER_ERROR, "The request failed. The log of the application tells why.");
    }

    private static boolean isDenied(Throwable thrown) {
        Throwable each = thrown;
        for (int depth = 0; each != null && depth < 10; depth++) {
            if (each instanceof SQLException sql && DENIED.equals(sql.getSQLState())) {
                return true;
            }
            each = each.getCause();
        }
        return false;
    }
}
