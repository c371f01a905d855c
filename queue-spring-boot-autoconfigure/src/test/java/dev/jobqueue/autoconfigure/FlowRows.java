package dev.jobqueue.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.postgres.TestDatabase;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.springframework.jdbc.core.simple.JdbcClient;

/** What the database says of batches and flows. */
final class FlowRows {

    private final JdbcClient jdbc;

    FlowRows(TestDatabase database) {
        this.jdbc = JdbcClient.create(database.dataSource());
    }

    /** State, round, and how many are there, done, dead and cancelled: {@code "SUCCEEDED 1: 5 5 0 0"}. */
    String of(UUID id) {
        return jdbc.sql("SELECT format('%s %s: %s %s %s %s', state, round, total, done, dead, cancelled)"
                        + " FROM queue.find_flow(?)")
                .param(id)
                .query(String.class)
                .optional()
                .orElse("none");
    }

    void await(UUID id, String expected) {
        Patience.await().untilAsserted(() -> assertThat(of(id)).isEqualTo(expected));
    }

    /** The headers that the jobs of a type got, ended ones included. */
    List<Map<String, Object>> headers(String type) {
        return jdbc.sql("SELECT headers ->> 'flow' AS flow, headers ->> 'round' AS round FROM queue.job_history"
                        + " WHERE type = ? ORDER BY id")
                .param(type)
                .query()
                .listOfRows();
    }

    long count(String table) {
        return jdbc.sql("SELECT count(*) FROM queue." + table).query(Long.class).single();
    }
}
