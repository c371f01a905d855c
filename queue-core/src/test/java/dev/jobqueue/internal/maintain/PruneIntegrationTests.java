package dev.jobqueue.internal.maintain;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.internal.QueueFixture;
import dev.jobqueue.internal.settle.JobLease;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class PruneIntegrationTests {

    private static final int MAX = 10_000;

    private static final QueueFixture queue = new QueueFixture();

    private LocalDate today = LocalDate.EPOCH;

    @BeforeEach
    void reset() {
        queue.reset();
        prune();
        today = queue.clock().atOffset(ZoneOffset.UTC).toLocalDate();
    }

    /** As nodes do, until nothing is left to do; tells how many calls that took. */
    private static int prune() {
        int calls = 1;
        while (queue.upkeep.prune(MAX)) {
            calls++;
        }
        return calls;
    }

    private static String partitionOf(LocalDate day) {
        return "job_history_" + day.format(DateTimeFormatter.BASIC_ISO_DATE);
    }

    private static List<String> partitions() {
        return queue.list(
                String.class,
                "SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid"
                        + " WHERE i.inhparent = 'queue.job_history'::regclass");
    }

    private static Instant noon(LocalDate day) {
        return day.atTime(12, 0).toInstant(ZoneOffset.UTC);
    }

    private static void attach(LocalDate day) {
        queue.execute("CREATE TABLE queue.%s (LIKE queue.job_history INCLUDING ALL)".formatted(partitionOf(day)));
        queue.execute(
                "ALTER TABLE queue.job_history ATTACH PARTITION queue.%s FOR VALUES FROM ('%s 00:00Z') TO ('%s 00:00Z')"
                        .formatted(partitionOf(day), day, day.plusDays(1)));
    }

    /** History of jobs without steps and events, half an hour long. */
    private static void completedMany(String name, int count, Instant since) {
        queue.execute(
                "INSERT INTO queue.job_history (id, queue, type, state, priority, run_at, payload, attempt,"
                        + " max_attempts,"
                        + " created_at, finished_at) SELECT queue.uuidv7(), ?, 'mail', 'COMPLETED', 0, at, '{}',"
                        + " 1, 3, at, at"
                        + " FROM (SELECT ?::timestamptz + n * interval '30 minutes' / ?::int AS at"
                        + " FROM generate_series(1, ?) AS n) AS m",
                name,
                since.toString(),
                count,
                count);
    }

    /** Completes a job with a step, as of that moment. */
    private static UUID completed(String name, Instant finishedAt) {
        UUID id = queue.publish("queue => '" + name + "'");
        JobLease lease = queue.claims
                .claim(UUID.randomUUID(), Map.of(name, 1), null)
                .get(0)
                .lease();
        queue.reports.saveStep(lease, "render", "1");
        queue.reports.log(lease, "INFO", "x");
        queue.settlements.complete(lease, null);
        queue.execute(
                "UPDATE queue.job_history SET finished_at = ?::timestamptz WHERE id = ?", finishedAt.toString(), id);
        return id;
    }

    private static UUID completed(String name, Duration ago) {
        return completed(name, queue.clock().minus(ago));
    }

    private static List<UUID> history() {
        return queue.list(UUID.class, "SELECT id FROM queue.job_history");
    }

    private static List<UUID> withStepsAndEvents() {
        return queue.list(UUID.class, "SELECT job_id FROM queue.job_step INTERSECT SELECT job_id FROM queue.job_event");
    }

    @Nested
    class Partitions {

        @Test
        void areMadeAheadForAWeek() {
            assertThat(partitions())
                    .contains("job_history_default")
                    .containsAll(IntStream.rangeClosed(0, 7)
                            .mapToObj(day -> partitionOf(today.plusDays(day)))
                            .toList());
        }

        @Test
        void areMadeAgainWhenOneIsMissing() {
            String missing = partitionOf(today.plusDays(5));
            queue.execute("DROP TABLE queue." + missing);

            prune();

            assertThat(partitions()).contains(missing);
        }

        @Test
        void takeTheJobsOfTheirUtcDay() {
            UUID id = completed("default", today.plusDays(2).atTime(23, 59, 59).toInstant(ZoneOffset.UTC));

            assertThat(queue.one(
                            String.class, "SELECT tableoid::regclass::text FROM queue.job_history WHERE id = ?", id))
                    .isEqualTo("queue." + partitionOf(today.plusDays(2)));
        }

        @Test
        void areDroppedOnceWhollyPastTheRetentionWithStepsAndEvents() {
            LocalDate old = today.minusDays(9);
            LocalDate within = today.minusDays(6);
            attach(old);
            attach(within);
            completed("default", noon(old));
            UUID kept = completed("default", noon(within));

            prune();

            assertThat(partitions()).doesNotContain(partitionOf(old)).contains(partitionOf(within));
            assertThat(history()).containsExactly(kept);
            assertThat(withStepsAndEvents()).containsExactly(kept);
            queue.execute("DROP TABLE queue." + partitionOf(within));
        }

        @Test
        void areDroppedThoughAnotherQueueKeepsItsHistoryForLonger() {
            LocalDate old = today.minusDays(9);
            attach(old);
            queue.operations.configureQueue("archive", Duration.ofDays(30), null, null);
            completed("default", noon(old));

            prune();

            assertThat(partitions()).doesNotContain(partitionOf(old));
            assertThat(history()).isEmpty();
            assertThat(withStepsAndEvents()).isEmpty();
        }

        @Test
        void areDroppedThoughAFewJobsAreKeptForLonger() {
            LocalDate old = today.minusDays(20);
            attach(old);
            queue.operations.configureQueue("archive", Duration.ofDays(30), null, null);
            UUID kept = completed("archive", noon(old));
            Map<String, Object> before = queue.history(kept);
            completed("default", noon(old));

            prune();

            assertThat(partitions()).doesNotContain(partitionOf(old));
            assertThat(history()).containsExactly(kept);
            assertThat(withStepsAndEvents()).containsExactly(kept);
            assertThat(queue.history(kept)).isEqualTo(before);

            queue.operations.configureQueue("archive", Duration.ofDays(19), null, null);
            prune();
            assertThat(history()).isEmpty();
            assertThat(withStepsAndEvents()).isEmpty();
        }

        @Test
        void stayWhereMostJobsAreKeptForLonger() {
            LocalDate old = today.minusDays(20);
            attach(old);
            queue.operations.configureQueue("archive", Duration.ofDays(30), null, null);
            List<UUID> kept = List.of(completed("archive", noon(old)), completed("archive", noon(old)));
            completed("default", noon(old));

            prune();

            assertThat(partitions()).contains(partitionOf(old));
            assertThat(history()).containsExactlyInAnyOrderElementsOf(kept);
            assertThat(withStepsAndEvents()).containsExactlyInAnyOrderElementsOf(kept);
            queue.execute("DROP TABLE queue." + partitionOf(old));
        }

        @Test
        void areNotNeededForACompletion() {
            queue.execute("DROP TABLE queue." + partitionOf(today));
            queue.execute("DROP TABLE queue." + partitionOf(today.plusDays(1)));
            JobLease lease = queue.claimNew();

            queue.settlements.complete(lease, "1");

            assertThat(queue.one(String.class, "SELECT tableoid::regclass::text FROM queue.job_history"))
                    .isEqualTo("queue.job_history_default");
            prune();
            assertThat(history()).containsExactly(lease.id());
            assertThat(queue.publish("id => '" + lease.id() + "'")).isEqualTo(lease.id());
        }
    }

    @Nested
    class Retention {

        @Test
        void ofAQueueMayBeShorterThanTheOthers() {
            queue.operations.configureQueue("brief", Duration.ofHours(1), null, null);
            completed("brief", Duration.ofHours(2));
            UUID fresh = completed("brief", Duration.ofMinutes(30));
            UUID other = completed("default", Duration.ofHours(2));

            prune();

            assertThat(history()).containsExactlyInAnyOrder(fresh, other);
            assertThat(withStepsAndEvents()).containsExactlyInAnyOrder(fresh, other);
        }

        @Test
        void isKeptHoweverManyJobsArePastIt() {
            queue.operations.configureQueue("brief", Duration.ofHours(1), null, null);
            completedMany("brief", 6 * MAX, queue.clock().minus(Duration.ofHours(2)));
            UUID other = completed("default", Duration.ofHours(2));

            assertThat(prune()).isBetween(6, 8);

            assertThat(history()).containsExactly(other);
        }

        @Test
        void takesStepsOrEventsAloneWithTheirJob() {
            queue.operations.configureQueue("brief", Duration.ofHours(1), null, null);
            // the older ones are in the default partition
            for (Duration ago : List.of(Duration.ofHours(2), Duration.ofDays(8))) {
                forget("step", completed("brief", ago));
                forget("event", completed("brief", ago));
                forget("step", completed("default", ago.plusDays(8)));
                forget("event", completed("default", ago.plusDays(8)));
            }

            prune();

            assertThat(history()).isEmpty();
            assertThat(queue.one(
                            Long.class,
                            "SELECT (SELECT count(*) FROM queue.job_step) + (SELECT count(*) FROM queue.job_event)"))
                    .isZero();
        }

        /** As if it never had any. */
        private static void forget(String what, UUID id) {
            queue.execute("DELETE FROM queue.job_%s WHERE job_id = ?".formatted(what), id);
            queue.execute("UPDATE queue.job_history SET %ss = NULL WHERE id = ?".formatted(what), id);
        }

        @Test
        void isObeyedAgainByEachLaterCall() {
            queue.operations.configureQueue("brief", Duration.ofHours(1), null, null);
            completed("brief", Duration.ofHours(3));
            prune();
            UUID next = completed("brief", Duration.ofMinutes(59));
            prune();
            assertThat(history()).containsExactly(next);

            queue.operations.configureQueue("brief", Duration.ofMinutes(10), null, null);
            prune();
            assertThat(history()).isEmpty();
        }

        @Test
        void ofZeroRemovesWhatWasKeptBefore() {
            completed("default", Duration.ofMinutes(1));
            UUID other = completed("other", Duration.ofMinutes(1));
            queue.operations.configureQueue("default", Duration.ZERO, null, null);

            prune();

            assertThat(history()).containsExactly(other);
        }

        @Test
        void holdsInTheDefaultPartitionToo() {
            completed("default", Duration.ofDays(8));
            UUID kept = completed("default", Duration.ofDays(6));

            prune();

            assertThat(history()).containsExactly(kept);
            assertThat(withStepsAndEvents()).containsExactly(kept);
        }

        /** Partitions are days: they keep what is older than an hour. */
        @Test
        void removesWhatIsOlderThanARetentionOfHoursThatIsTheLongest() {
            queue.operations.configure(Duration.ofHours(1), null, null, null);
            UUID old = completed("default", Duration.ofHours(2));
            UUID recent = completed("default", Duration.ofMinutes(30));

            prune();

            assertThat(history()).containsExactly(recent).doesNotContain(old);
        }

        @Test
        void doesNotTouchLiveJobsAndDeadLetters() {
            queue.operations.configure(Duration.ZERO, null, null, null);
            queue.publishDead("oops");
            queue.claimNew();
            queue.publish();
            queue.execute("UPDATE queue.dead_letter SET died_at = died_at - interval '1 year'");
            queue.execute("UPDATE queue.job SET created_at = created_at - interval '1 year'");
            List<String> before = rows();

            prune();

            assertThat(rows()).isEqualTo(before);
        }

        /** All but the bookkeeping of pruning itself, and epochs: a slow claim begins one, which pruning tidies up. */
        private List<String> rows() {
            return queue.everyRow().stream()
                    .filter(row -> !row.startsWith("setting ") && !row.startsWith("epoch "))
                    .toList();
        }
    }

    @Nested
    public class Leftovers {

        @Test
        void ofJobsThatAreKeptNowhereAreRemoved() {
            completed("default", Duration.ZERO);
            JobLease live = queue.claimNew();
            queue.reports.saveStep(live, "render", "1");
            queue.reports.log(live, "INFO", "x");
            queue.execute("DELETE FROM queue.job_history");

            prune();

            assertThat(withStepsAndEvents()).containsExactly(live.id());
        }

        @Test
        void ofWorkersGoADayAfterTheyDied() {
            Node[] nodes = {Node.SILENT_FOR_DAYS, Node.SILENT_FOR_HOURS, Node.LIVING};
            for (Node node : nodes) {
                queue.execute(
                        "INSERT INTO queue.worker (id, host, started_at, beat_at, dead_at) VALUES"
                                + " (gen_random_uuid(), ?,"
                                + " now(), now(), now() - ?::interval)",
                        node.name(),
                        node.dead);
            }

            prune();

            assertThat(queue.list(String.class, "SELECT host FROM queue.worker ORDER BY 1"))
                    .containsExactly("LIVING", "SILENT_FOR_HOURS");
        }

        private enum Node {
            SILENT_FOR_DAYS("2 days"),
            SILENT_FOR_HOURS("2 hours"),
            LIVING(null);

            private final String dead;

            Node(String dead) {
                this.dead = dead;
            }
        }

        @Test
        void ofEpochsGoButForTheNewest() {
            UUID id = queue.publish();
            for (int i = 0; i < 3; i++) {
                queue.call("internal_advance(hashtextextended('default', 0), NULL, true)");
            }
            assertThat(queue.one(Long.class, "SELECT count(*) FROM queue.epoch"))
                    .isGreaterThan(1);

            prune();

            assertThat(queue.one(Long.class, "SELECT count(*) FROM queue.epoch"))
                    .isOne();
            assertThat(queue.claim().lease().id()).isEqualTo(id);
        }

        @Test
        void ofGivenIdsGoAfterADay() {
            queue.publish("id => gen_random_uuid()");
            queue.upkeep.prune(10_000);
            assertThat(queue.one(Long.class, "SELECT count(*) FROM queue.given_id"))
                    .isOne();
            queue.execute("INSERT INTO queue.given_id SELECT gen_random_uuid() FROM generate_series(1, 10500)");
            queue.execute("UPDATE queue.given_id SET at = at - interval '25 hours'");

            assertThat(queue.upkeep.prune(10_000)).as("whether there are more").isTrue();
            assertThat(queue.one(Long.class, "SELECT count(*) FROM queue.given_id"))
                    .isEqualTo(501);
            assertThat(queue.upkeep.prune(10_000)).isFalse();
            assertThat(queue.one(Long.class, "SELECT count(*) FROM queue.given_id"))
                    .isZero();
        }
    }
}
