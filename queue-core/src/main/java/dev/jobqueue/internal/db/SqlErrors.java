package dev.jobqueue.internal.db;

import dev.jobqueue.InvalidJobException;
import dev.jobqueue.JobExistsException;
import dev.jobqueue.JobNotFoundException;
import dev.jobqueue.JobQueueException;
import dev.jobqueue.LeaseLostException;
import dev.jobqueue.MissingRightException;
import java.sql.SQLException;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.UncategorizedSQLException;
import org.springframework.jdbc.support.SQLExceptionSubclassTranslator;
import org.springframework.jdbc.support.SQLExceptionTranslator;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** What a failed call of the database means to the caller. */
final class SqlErrors {

    private static final SQLExceptionTranslator TRANSLATOR = new SQLExceptionSubclassTranslator();

    private static final Pattern FUNCTION = Pattern.compile("\\.([a-z_0-9]+)\\(");

    /** The functions of each role of roles.sql that has least rights; all others are those of workers. */
    private static final Set<String> OF_PUBLISHERS = Set.of(
            "publish",
            "publish_many",
            "publish_with_outcome",
            "uuidv7",
            "open_batch",
            "add_members",
            "seal_batch",
            "publish_flow",
            "add_steps",
            "signal_flow");

    private static final Set<String> OF_VIEWERS = Set.of(
            "schema_version",
            "figures",
            "database_figures",
            "unhandled",
            "nodes",
            "overdue_schedules",
            "count_overdue_schedules",
            "find_job",
            "find_jobs",
            "count_jobs",
            "why",
            "find_schedules",
            "find_limits",
            "find_lanes",
            "find_flow",
            "find_flows",
            "flow_graph",
            "flow_figures",
            "throughput",
            "throughput_by_queue",
            "dead_groups",
            "find_actions");

    private static final Set<String> OF_OPERATORS = Set.of(
            "cancel",
            "cancel_jobs",
            "retry",
            "retry_jobs",
            "replay",
            "replay_jobs",
            "purge",
            "purge_jobs",
            "reprioritise",
            "reprioritise_jobs",
            "reschedule",
            "reschedule_jobs",
            "pause",
            "resume",
            "configure",
            "configure_queue",
            "set_retry_policy",
            "set_limit",
            "remove_limit",
            "use_limits",
            "release_lane",
            "close_lane",
            "record_action",
            "add_to_action",
            "undo_action",
            "set_schedule",
            "delete_schedule",
            "pause_schedule",
            "resume_schedule",
            "run_schedule_now");

    private SqlErrors() {}

    /**
     * @param task the statement, or what was to be done
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
            // Spring would call it bad SQL grammar
            case "42501" -> missingRight(task, ex);
            case "25006" ->
                TransactionSynchronizationManager.isCurrentTransactionReadOnly() ? readOnly(ex) : other(task, ex);
            default -> other(task, ex);
        };
    }

    private static RuntimeException other(String task, SQLException ex) {
        DataAccessException translated = TRANSLATOR.translate("queue", task, ex);
        return translated != null ? translated : new UncategorizedSQLException("queue", task, ex);
    }

    private static RuntimeException missingRight(String task, SQLException ex) {
        Matcher function = FUNCTION.matcher(task);
        return new MissingRightException(
                "The application's role in the database may not do this: grant it %s. The database said: %s"
                        .formatted(role(function.find() ? function.group(1) : ""), ex.getMessage()),
                ex);
    }

    /** The role of roles.sql that is made for callers of the function. */
    static String role(String function) {
        if (OF_PUBLISHERS.contains(function)) {
            return "queue_publisher";
        }
        if (OF_VIEWERS.contains(function)) {
            return "queue_viewer";
        }
        return OF_OPERATORS.contains(function) ? "queue_operator" : "queue_worker";
    }

    private static JobQueueException readOnly(SQLException ex) {
        return new JobQueueException(
                "The transaction is read-only, by @Transactional(readOnly = true) for example: publish and act in one"
                        + " that may write. The database said: " + ex.getMessage(),
                ex);
    }

    /** The job that has the key; the function tells it in the detail. */
    private static UUID existing(SQLException ex) {
        ServerErrorMessage server = ex instanceof PSQLException psql ? psql.getServerErrorMessage() : null;
        return UUID.fromString(Objects.requireNonNull(
                Objects.requireNonNull(server, "no answer").getDetail()));
    }

    /** What the function said, without the driver's additions. */
    private static String message(SQLException ex) {
        ServerErrorMessage server = ex instanceof PSQLException psql ? psql.getServerErrorMessage() : null;
        if (server == null || server.getMessage() == null) {
            return String.valueOf(ex.getMessage());
        }
        return server.getHint() == null ? server.getMessage() : server.getMessage() + ". " + server.getHint();
    }
}
