package dev.jobqueue.test;

import dev.jobqueue.operate.JobDetails;
import dev.jobqueue.operate.JobOperations;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import javax.sql.DataSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** The jobs of the queue, as the transaction of the test sees them. */
final class JobReader {

    /** Those that hold jobs or what belongs to them, and no settings. */
    static final List<String> TABLES_OF_JOBS = List.of(
            "job",
            "ready",
            "scheduled",
            "lease",
            "job_step",
            "job_event",
            "job_history",
            "dead_letter",
            "given_id",
            "taken_key",
            "waiting",
            "held",
            "turn",
            "hung",
            "mark",
            "closing",
            "flow",
            "flow_step",
            "flow_edge",
            "flow_result",
            "flow_signal",
            "flow_tick",
            "failure",
            "throughput",
            "audit");

    private final JobOperations operations;
    private final DataSource dataSource;
    private final JdbcTemplate jdbc;
    private final String schema;
    private final String ids;
    private final String nextRetry;
    private final String resetSchedules;

    JobReader(JobOperations operations, DataSource dataSource, String schema) {
        this.operations = operations;
        this.dataSource = dataSource;
        this.jdbc = new JdbcTemplate(dataSource);
        this.schema = '"' + schema.replace("\"", "\"\"") + "\".";
        this.ids = """
                SELECT id FROM (
                    SELECT id, created_at FROM %1$sjob UNION ALL SELECT id, created_at FROM %1$sdead_letter
                    UNION ALL SELECT id, created_at FROM %1$sjob_history) AS jobs
                ORDER BY created_at, id""".formatted(this.schema);
        this.nextRetry =
                "SELECT min(run_at) FROM %slive_job WHERE state = 'SCHEDULED' AND attempt > 0".formatted(this.schema);
        this.resetSchedules = """
                UPDATE %1$sschedule SET next_run_at = NULL, counted_from = pg_catalog.clock_timestamp(),
                    last_run_at = NULL, last_job_id = NULL, unmet_since = NULL
                WHERE name IN (SELECT name FROM %1$sschedule
                    WHERE next_run_at IS NULL OR next_run_at <= pg_catalog.clock_timestamp()
                        OR last_run_at > pg_catalog.clock_timestamp()
                    FOR UPDATE SKIP LOCKED)""".formatted(this.schema);
    }

    /** The ids of all jobs, in the order in which they were published. */
    List<UUID> ids() {
        return jdbc.queryForList(ids, UUID.class);
    }

    Optional<JobDetails> find(UUID id) {
        return operations.find(id);
    }

    /** When the first of the jobs is due that wait for another attempt. */
    Optional<Instant> nextRetry() {
        return Optional.ofNullable(jdbc.queryForObject(nextRetry, OffsetDateTime.class))
                .map(OffsetDateTime::toInstant);
    }

    /** Row by row: TRUNCATE would wait for the transactions of tests that run at the same time. */
    void deleteAll() {
        change(() -> TABLES_OF_JOBS.forEach(table -> jdbc.update("DELETE FROM " + schema + table)));
    }

    /**
     * Lets schedules count from the real time, so that none is due at the start of a test: neither since the start of
     * the application context, nor because a test fired it in the future and committed. Not those that a test fires
     * now.
     */
    void resetSchedules() {
        change(() -> jdbc.update(resetSchedules));
    }

    /**
     * In the transaction of the test, else in one that commits, also with connections that do not do so by themselves.
     */
    private void change(Runnable action) {
        if (TransactionSynchronizationManager.hasResource(dataSource)) {
            action.run();
        } else {
            new TransactionTemplate(new JdbcTransactionManager(dataSource))
                    .executeWithoutResult(status -> action.run());
        }
    }

    /** A node that fires schedules must not hang. A test may, in a debugger. */
    void allowToIdle() {
        if (TransactionSynchronizationManager.isActualTransactionActive()) {
            jdbc.execute("SET LOCAL idle_in_transaction_session_timeout TO DEFAULT");
        }
    }
}
