package dev.jobqueue.internal.db;

import dev.jobqueue.InvalidJobException;
import dev.jobqueue.JobExistsException;
import dev.jobqueue.JobNotFoundException;
import dev.jobqueue.LeaseLostException;
import java.sql.SQLException;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.UncategorizedSQLException;
import org.springframework.jdbc.support.SQLExceptionSubclassTranslator;
import org.springframework.jdbc.support.SQLExceptionTranslator;

/** Turns the errors of SQL functions into the exceptions of the API, and all others into those of Spring. */
final class SqlErrors {

    private static final SQLExceptionTranslator TRANSLATOR = new SQLExceptionSubclassTranslator();

    private SqlErrors() {}

    /**
     * The exception for a call that failed.
     *
     * @param task the SQL of the call
     */
    static RuntimeException translate(String task, SQLException ex) {
        String state = ex.getSQLState() == null ? "" : ex.getSQLState();
        return switch (state) {
            case "JQ404" -> new JobNotFoundException(message(ex), ex);
            case "JQ409" -> new LeaseLostException(message(ex), ex);
            case "JQ423" -> new JobExistsException(message(ex), existing(ex), ex);
            // 22..., 54001: a text that PostgreSQL cannot store, such as a NUL character or JSON that is too deep
            // 54000 is not among them: a full queue of notifications says that too, and is no fault of the job
            case "JQ422", "22003", "22021", "22P02", "22P05", "54001" -> new InvalidJobException(message(ex), ex);
            default -> {
                DataAccessException translated = TRANSLATOR.translate("queue", task, ex);
                yield translated != null ? translated : new UncategorizedSQLException("queue", task, ex);
            }
        };
    }

    /** The job that has the key; the function names it in the detail of its error. */
    private static UUID existing(SQLException ex) {
        ServerErrorMessage server = Objects.requireNonNull(serverMessage(ex), "no answer");
        return UUID.fromString(Objects.requireNonNull(server.getDetail()));
    }

    /** What the function said, without the driver's additions. */
    private static String message(SQLException ex) {
        ServerErrorMessage server = serverMessage(ex);
        if (server == null || server.getMessage() == null) {
            return String.valueOf(ex.getMessage());
        }
        return server.getHint() == null ? server.getMessage() : server.getMessage() + ". " + server.getHint();
    }

    private static @Nullable ServerErrorMessage serverMessage(SQLException ex) {
        return ex instanceof PSQLException psql ? psql.getServerErrorMessage() : null;
    }
}
