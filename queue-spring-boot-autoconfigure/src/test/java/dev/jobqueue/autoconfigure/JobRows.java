package dev.jobqueue.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.JobState;
import dev.jobqueue.postgres.TestDatabase;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.springframework.jdbc.core.simple.JdbcClient;

/** What the database says of jobs, whatever table they are in. */
final class JobRows {

    private static final String ALL = """
            (SELECT id, state, type, queue, attempt, errors, created_at FROM queue.live_job
            UNION ALL SELECT id, state, type, queue, attempt, errors, created_at FROM queue.job_history
            UNION ALL SELECT id, 'DEAD', type, queue, attempt, errors, created_at FROM queue.dead_letter) AS row
            """;

    private final JdbcClient jdbc;

    JobRows(TestDatabase database) {
        this.jdbc = JdbcClient.create(database.dataSource());
    }

    JdbcClient jdbc() {
        return jdbc;
    }

    Optional<JobState> state(UUID id) {
        return jdbc.sql("SELECT state FROM " + ALL + " WHERE id = ?")
                .param(id)
                .query((row, number) -> JobState.valueOf(row.getString(1)))
                .optional();
    }

    JobRows await(JobState state, UUID... ids) {
        return await(state, Arrays.asList(ids));
    }

    /** Waits until all of the jobs are in the state. */
    JobRows await(JobState state, Collection<UUID> ids) {
        Patience.await()
                .untilAsserted(() -> assertThat(ids)
                        .allSatisfy(id -> assertThat(state(id))
                                .as("state of %s, errors %s", id, errors(id))
                                .hasValue(state)));
        return this;
    }

    /** Waits until so many jobs of the type are in the state. */
    void awaitCount(JobState state, String type, long count) {
        Patience.await().untilAsserted(() -> assertThat(count(state, type)).isEqualTo(count));
    }

    long count(JobState state, String type) {
        return jdbc.sql("SELECT count(*) FROM " + ALL + " WHERE state = ? AND type = ?")
                .params(state.name(), type)
                .query(Long.class)
                .single();
    }

    int attempt(UUID id) {
        return jdbc.sql("SELECT attempt FROM " + ALL + " WHERE id = ?")
                .param(id)
                .query(Integer.class)
                .single();
    }

    String queue(UUID id) {
        return jdbc.sql("SELECT queue FROM " + ALL + " WHERE id = ?")
                .param(id)
                .query(String.class)
                .single();
    }

    /** The errors of the attempts so far, oldest first. */
    List<String> errors(UUID id) {
        return jdbc.sql("SELECT error ->> 'error' FROM " + ALL
                        + ", jsonb_array_elements(errors) WITH ORDINALITY AS each (error, i) WHERE id = ? ORDER BY i")
                .param(id)
                .query(String.class)
                .list();
    }

    /** The result of a completed job, as JSON. */
    String result(UUID id) {
        await(JobState.COMPLETED, id);
        return jdbc.sql("SELECT coalesce(result::text, 'none') FROM queue.job_history WHERE id = ?")
                .param(id)
                .query(String.class)
                .single();
    }

    /** One column of a job that waits or runs. */
    <T> Optional<T> live(UUID id, String column, Class<T> type) {
        return jdbc.sql("SELECT " + column + " FROM queue.live_job WHERE id = ?")
                .param(id)
                .query(type)
                .optional();
    }
}
