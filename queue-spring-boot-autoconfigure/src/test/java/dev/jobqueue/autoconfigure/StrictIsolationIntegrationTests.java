package dev.jobqueue.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.Job;
import dev.jobqueue.JobHandler;
import dev.jobqueue.JobState;
import dev.jobqueue.postgres.TestDatabase;
import java.util.Collections;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** Nodes that work one queue with pools whose transactions would fail each other. */
@ExtendWith(OutputCaptureExtension.class)
class StrictIsolationIntegrationTests {

    @ParameterizedTest
    @ValueSource(strings = {"TRANSACTION_REPEATABLE_READ", "TRANSACTION_SERIALIZABLE"})
    void takesNoConflictForAnOutage(String isolation, CapturedOutput output) {
        TestDatabase database = TestDatabase.create();
        JobRows rows = new JobRows(database);
        String setting = "spring.datasource.hikari.transaction-isolation=" + isolation;
        try (Node first = Node.start(database, Handlers.class, setting);
                Node second = Node.start(database, Handlers.class, setting)) {
            for (Node node : new Node[] {first, second, first, second}) {
                node.publisher().publishAll(Collections.nCopies(500, Job.of("quick", null)));
            }
            rows.awaitCount(JobState.COMPLETED, "quick", 2_000);
        }
        assertThat(output.getAll()).doesNotContain("could not serialize", "40001");
    }

    static class Handlers {

        @JobHandler("quick")
        void quick() {}
    }
}
