package dev.jobqueue.internal.node;

import static dev.jobqueue.internal.node.LocalNode.awaiting;

import dev.jobqueue.internal.db.CheckedQueue;
import dev.jobqueue.postgres.TestDatabase;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;

class SmallHeapIntegrationTests {

    private static final int JOBS = 100;

    private final TestDatabase database = CheckedQueue.create();
    private final JdbcClient jdbc = JdbcClient.create(database.dataSource());

    /** All payloads together are more than the heap of the node, and nothing wakes it but what its claims bring. */
    @Test
    void isEnoughForJobsOfLargePayloadsAndForAHandlerThatFillsIt() throws Exception {
        jdbc.sql("SELECT queue.publish('only', to_jsonb(repeat(md5(n::text), 28000))) FROM generate_series(1, ?) AS n")
                .param(JOBS)
                .query()
                .listOfRows();
        Process node = SmallHeapNode.start(database.jdbcUrl(), database.username(), database.password());
        try {
            awaiting().until(() -> completed() == JOBS);
        } finally {
            node.destroyForcibly().waitFor();
        }
    }

    private int completed() {
        return jdbc.sql("SELECT count(*) FROM queue.job_history WHERE state = 'COMPLETED'")
                .query(Integer.class)
                .single();
    }
}
