package dev.jobqueue.internal.publish;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.internal.QueueFixture;
import dev.jobqueue.internal.settle.JobLease;
import dev.jobqueue.internal.settle.SettleCalls;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

class NotifyIntegrationTests {

    private static final QueueFixture queue = new QueueFixture();
    private static final int PATIENCE_MILLIS = 30_000;

    private Connection listener;

    @BeforeEach
    void listen() throws SQLException {
        queue.reset();
        listener = queue.database.connect();
        try (Statement statement = listener.createStatement()) {
            statement.execute("LISTEN queue");
        }
    }

    @AfterEach
    void close() throws SQLException {
        listener.close();
    }

    /** What was notified up to here; an end mark tells that nothing else is on its way. */
    private List<String> heard() throws SQLException {
        queue.call("pause('end')");
        queue.call("resume('end')");
        List<String> heard = new ArrayList<>();
        while (!heard.contains("end")) {
            PGNotification[] notifications = listener.unwrap(PGConnection.class).getNotifications(PATIENCE_MILLIS);
            assertThat(notifications).as("after %s", heard).isNotEmpty();
            for (PGNotification notification : notifications) {
                assertThat(notification.getName()).isEqualTo("queue");
                heard.add(notification.getParameter());
            }
        }
        heard.remove("end");
        return heard;
    }

    private static NewJob job(String queueName, Duration delay) {
        return NewJobs.with(UUID.randomUUID(), "mail", "{}")
                .queue(queueName)
                .delay(delay)
                .build();
    }

    @Test
    void namesEachQueueThatGotAPendingJobOnce() throws SQLException {
        queue.publications.publish(List.of(job("a", null), job("b", null), job("a", null)), true);

        assertThat(heard()).containsExactlyInAnyOrder("a", "b");
    }

    @Test
    void isAnEmptyTextForAScheduledJob() throws SQLException {
        queue.publications.publish(List.of(job("a", Duration.ofHours(1)), job("b", Duration.ofHours(1))), true);

        assertThat(heard()).containsExactly("");
    }

    @Test
    void isLeftOutWhenNotWanted() throws SQLException {
        queue.publications.publish(List.of(job("a", null), job("b", Duration.ofHours(1))), false);

        assertThat(heard()).isEmpty();
    }

    @Test
    void isSentByPlainSqlPublishers() throws SQLException {
        queue.publish();
        queue.call("publish_many('[{\"type\": \"mail\", \"payload\": 1, \"queue\": \"json\"}]')");

        assertThat(heard()).containsExactly("default", "json");
    }

    @Test
    void wakesWhatAskedToBeWoken() throws SQLException {
        queue.publications.wake(List.of("x", "y"));

        assertThat(heard()).containsExactlyInAnyOrder("x", "y");
    }

    @Test
    void followsAJobThatBecomesPendingAgain() throws SQLException {
        JobLease released = queue.claimNew();
        UUID dead = queue.publishDead("oops");
        heard();

        queue.settlements.release(List.of(released));
        assertThat(heard()).containsExactly("default");
        queue.operations.replay(dead);
        assertThat(heard()).containsExactly("default");
        queue.claim(UUID.randomUUID(), 10);
        queue.silenceWorkers();
        queue.upkeep.rescue(Duration.ofSeconds(20), Duration.ZERO, 100);
        assertThat(heard()).containsExactly("default");
    }

    @Test
    void tellsPromotersOfJobsThatComeBackLater() throws SQLException {
        JobLease snoozed = queue.claimNew();
        JobLease failed = queue.claimNew();
        heard();

        queue.settlements.snooze(snoozed, Duration.ofHours(1));
        assertThat(heard()).containsExactly("");
        queue.settlements.failAll(List.of(new SettleCalls.Failure(failed, "oops", true)));
        assertThat(heard()).containsExactly("");
        queue.promoteAll();
        assertThat(heard()).containsExactly("default");
    }

    @Test
    void asksForTheCancellationOfARunningJob() throws SQLException {
        JobLease lease = queue.claimNew();
        heard();

        queue.operations.cancel(lease.id());

        assertThat(heard()).containsExactly("cancel:" + lease.id());
    }
}
