package dev.jobqueue.internal.operate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.groups.Tuple.tuple;
import static org.awaitility.Awaitility.await;

import dev.jobqueue.InvalidJobException;
import dev.jobqueue.operate.QueueFigures;
import dev.jobqueue.operate.UnhandledType;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class FigureReaderIntegrationTests {

    private static final ObservedQueue queue = ObservedQueue.create();

    @BeforeEach
    void clear() {
        queue.clear();
    }

    private static QueueFigures figures(String name, int max) {
        return queue.figures.figures(max, ObservedQueue.TTL).stream()
                .filter(each -> each.queue().equals(name))
                .findFirst()
                .orElseThrow();
    }

    @Nested
    class Figures {

        @Test
        void countsEachStateOfEachQueue() {
            queue.die("a", "t");
            queue.publish(2, "a", "t");
            queue.claim("a", 1);
            queue.publish(3, "a", "t");
            queue.publish("a", "t", 0, Duration.ofHours(1));
            queue.publish("b", "t");
            assertThat(figures("a", 100))
                    .returns(4L, QueueFigures::pending)
                    .returns(1L, QueueFigures::running)
                    .returns(1L, QueueFigures::scheduled)
                    .returns(1L, QueueFigures::dead);
            assertThat(figures("b", 100)).returns(1L, QueueFigures::pending).returns(0L, QueueFigures::dead);
        }

        @Test
        void stopsCountingAtTheLimitAndSaysSo() {
            queue.operations.configureQueue("a", null, 3, 4);
            queue.publish(10, "a", "t");
            assertThat(figures("a", 5)).returns(5L, QueueFigures::pending).returns(5, QueueFigures::countedTo);
            // as far as the highest threshold, or it could not be reached
            assertThat(figures("a", 2)).returns(4L, QueueFigures::pending).returns(4, QueueFigures::countedTo);
        }

        @Test
        void findsTheOldestAmongAllPriorities() {
            queue.publish("a", "old", -5, null);
            queue.publish("a", "new", 5, null);
            for (String table : List.of("job", "ready")) {
                queue.jdbc
                        .sql("UPDATE queue.%s SET run_at = run_at - interval '1 hour' WHERE type = 'old'"
                                .formatted(table))
                        .update();
            }
            queue.jdbc
                    .sql("UPDATE queue.job SET created_at = run_at WHERE type = 'old'")
                    .update();
            assertThat(figures("a", 100).oldest()).isBetween(Duration.ofMinutes(59), Duration.ofMinutes(62));
        }

        @Test
        void knowsQueuesThatAreEmptyButWorkedOrPaused() {
            queue.beat(List.of("worked"), List.of("t"));
            queue.operations.pause("paused");
            assertThat(figures("worked", 10)).returns(null, QueueFigures::oldest);
            assertThat(figures("paused", 10).pausedAt()).isNotNull();
        }

        @Test
        void refusesALimitOfNothing() {
            assertThatThrownBy(() -> queue.figures.figures(0, ObservedQueue.TTL))
                    .isInstanceOf(InvalidJobException.class)
                    .hasMessageContaining("max is '0'");
        }
    }

    @Nested
    class TypesWithoutHandler {

        @Test
        void areThoseNoLiveNodeHandlesInThatQueue() {
            queue.publish(2, "a", "handled");
            queue.publish(3, "a", "stray");
            queue.publish("b", "handled");
            queue.beat(List.of("a"), List.of("handled"));
            assertThat(queue.figures.unhandled(ObservedQueue.TTL))
                    .extracting(UnhandledType::queue, UnhandledType::type, UnhandledType::jobs)
                    .containsExactly(tuple("a", "stray", 3L), tuple("b", "handled", 1L));
        }

        @Test
        void areAllWhenTheNodeIsSilentForTooLong() {
            queue.publish("a", "handled");
            queue.beat(List.of("a"), List.of("handled"));
            queue.jdbc
                    .sql("UPDATE queue.worker SET beat_at = now() - interval '30 seconds'")
                    .update();
            assertThat(queue.figures.unhandled(ObservedQueue.TTL)).hasSize(1);
            assertThat(queue.figures.unhandled(Duration.ofMinutes(1))).isEmpty();
        }

        @Test
        void areNoneWhenANodeDoesNotSayWhatItHandles() {
            queue.publish("a", "any");
            queue.beat(null, null);
            assertThat(queue.figures.unhandled(ObservedQueue.TTL)).isEmpty();
        }
    }

    @Nested
    class Nodes {

        @Test
        void tellsWhoLivesAndWhatTheyHold() {
            queue.beat(List.of("a"), List.of("t"));
            queue.publish(2, "a", "t");
            queue.claim("a", 2);
            assertThat(queue.figures.nodes(ObservedQueue.TTL)).singleElement().satisfies(node -> {
                assertThat(node.isLive()).isTrue();
                assertThat(node.running()).isEqualTo(2);
                assertThat(node.types()).containsExactly("t");
                assertThat(node.sinceBeat()).isLessThan(Duration.ofSeconds(10));
            });
            assertThat(queue.figures.nodes(Duration.ZERO)).singleElement().matches(node -> !node.isLive());
        }
    }

    @Nested
    class Database {

        @Test
        void tellsWhoHoldsASnapshotOpen() throws Exception {
            try (var holder = queue.database.connect()) {
                holder.setAutoCommit(false);
                holder.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
                try (var statement = holder.createStatement()) {
                    statement.execute("SET LOCAL application_name = 'the holder'");
                    statement.execute("SELECT count(*) FROM queue.live_job");
                }
                assertThat(queue.figures.database().heldBy()).contains("the holder", "idle in transaction");
                holder.rollback();
            }
        }

        @Test
        void countsDeadTuples() {
            queue.publish(20, "a", "t");
            queue.jdbc.sql("UPDATE queue.job SET percent = 1").update();
            await().untilAsserted(() -> assertThat(queue.figures.database())
                    .satisfies(figures -> assertThat(figures.deadTuples()).isPositive())
                    .satisfies(
                            figures -> assertThat(figures.notificationUsage()).isBetween(0.0, 1.0)));
        }
    }
}
