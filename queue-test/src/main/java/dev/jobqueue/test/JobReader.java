package dev.jobqueue.test;

import dev.jobqueue.operate.JobDetails;
import dev.jobqueue.operate.JobOperations;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import javax.sql.DataSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** The jobs of the queue, as the transaction of the test sees them. */
final class JobReader {

    private final JobOperations operations;
    private final JdbcTemplate jdbc;
    private final String all;
    private final String deleteAll;
    private final String resetSchedules;

    JobReader(JobOperations operations, DataSource dataSource, String schema) {
        this.operations = operations;
        this.jdbc = new JdbcTemplate(dataSource);
        String quoted = '"' + schema.replace("\"", "\"\"") + "\".";
        this.all = """
                SELECT id FROM (
                    SELECT id, created_at FROM %1$sjob UNION ALL SELECT id, created_at FROM %1$sdead_letter
                    UNION ALL SELECT id, created_at FROM %1$sjob_history) AS jobs
                ORDER BY created_at, id""".formatted(quoted);
        this.deleteAll = """
                TRUNCATE %1$sjob, %1$sready, %1$sscheduled, %1$slease, %1$sjob_step, %1$sjob_event, %1$sjob_history,
                    %1$sdead_letter, %1$sgiven_id, %1$staken_key""".formatted(quoted);
        this.resetSchedules = """
                UPDATE %1$sschedule SET next_run_at = NULL, counted_from = pg_catalog.clock_timestamp(),
                    last_run_at = NULL, last_job_id = NULL, unmet_since = NULL
                WHERE last_run_at > pg_catalog.clock_timestamp()""".formatted(quoted);
    }

    List<JobDetails> all() {
        return jdbc.queryForList(all, UUID.class).stream()
                .map(operations::find)
                .flatMap(Optional::stream)
                .toList();
    }

    Optional<JobDetails> find(UUID id) {
        return operations.find(id);
    }

    void deleteAll() {
        jdbc.execute(deleteAll);
    }

    /** Lets schedules that a test fired in the future, and committed, count from the real time again. */
    void resetSchedules() {
        jdbc.update(resetSchedules);
    }

    /** A node that fires schedules must not hang. A test may, in a debugger. */
    void allowToIdle() {
        if (TransactionSynchronizationManager.isActualTransactionActive()) {
            jdbc.execute("SET LOCAL idle_in_transaction_session_timeout TO DEFAULT");
        }
    }
}
