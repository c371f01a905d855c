package dev.jobqueue.test;

import dev.jobqueue.JobDetails;
import dev.jobqueue.JobDetails.JobError;
import dev.jobqueue.JobOperations;
import dev.jobqueue.JobState;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.json.JsonMapper;

/** The jobs of the queue, as the transaction of the test sees them. */
final class JobReader {

    private static final TypeReference<Map<String, String>> HEADERS = new TypeReference<>() {};

    private static final JsonMapper JSON = JsonMapper.shared();

    private final JobOperations operations;
    private final JdbcTemplate jdbc;
    private final String all;
    private final String deleteAll;

    JobReader(JobOperations operations, DataSource dataSource, String schema) {
        this.operations = operations;
        this.jdbc = new JdbcTemplate(dataSource);
        String quoted = '"' + schema.replace("\"", "\"\"") + "\".";
        this.all = """
                SELECT ids.id, found.* FROM (
                    SELECT id FROM %1$slive_job UNION SELECT id FROM %1$sdead_letter UNION SELECT id FROM %1$sjob_history
                ) AS ids CROSS JOIN LATERAL %1$sfind_job(ids.id) AS found
                ORDER BY found.created_at, ids.id""".formatted(quoted);
        this.deleteAll = """
                TRUNCATE %1$sjob, %1$sready, %1$sscheduled, %1$slease, %1$sjob_step, %1$sjob_event, %1$sjob_history,
                    %1$sdead_letter, %1$sgiven_id""".formatted(quoted);
    }

    List<JobDetails> all() {
        return jdbc.query(all, (results, row) -> read(results));
    }

    Optional<JobDetails> find(UUID id) {
        return operations.find(id);
    }

    void deleteAll() {
        jdbc.execute(deleteAll);
    }

    /** A node that fires schedules must not hang. A test may, in a debugger. */
    void allowToIdle() {
        if (TransactionSynchronizationManager.isActualTransactionActive()) {
            jdbc.execute("SET LOCAL idle_in_transaction_session_timeout TO DEFAULT");
        }
    }

    private static JobDetails read(ResultSet results) throws SQLException {
        return new JobDetails(
                results.getObject("id", UUID.class),
                results.getString("queue"),
                results.getString("type"),
                JobState.valueOf(results.getString("state")),
                results.getInt("priority"),
                results.getInt("attempt"),
                results.getInt("max_attempts"),
                results.getObject("percent", Integer.class),
                results.getString("stage"),
                results.getString("payload"),
                JSON.readValue(results.getString("headers"), HEADERS),
                results.getString("result"),
                List.of(JSON.readValue(results.getString("errors"), JobError[].class)),
                time(results, "created_at"),
                time(results, "run_at"),
                timeIfAny(results, "claimed_at"),
                timeIfAny(results, "finished_at"),
                results.getBoolean("cancel_requested"));
    }

    private static Instant time(ResultSet results, String column) throws SQLException {
        return results.getObject(column, OffsetDateTime.class).toInstant();
    }

    private static @Nullable Instant timeIfAny(ResultSet results, String column) throws SQLException {
        OffsetDateTime time = results.getObject(column, OffsetDateTime.class);
        return time == null ? null : time.toInstant();
    }
}
