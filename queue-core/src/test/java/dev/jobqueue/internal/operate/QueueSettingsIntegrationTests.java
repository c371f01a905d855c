package dev.jobqueue.internal.operate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.InvalidJobException;
import dev.jobqueue.JobNotFoundException;
import dev.jobqueue.JobState;
import dev.jobqueue.RetryPolicy;
import dev.jobqueue.internal.QueueFixture;
import dev.jobqueue.internal.publish.NewJob;
import dev.jobqueue.internal.publish.NewJobs;
import dev.jobqueue.internal.settle.JobLease;
import dev.jobqueue.internal.settle.SettleCalls;
import dev.jobqueue.operate.JobCount;
import dev.jobqueue.operate.JobFilter;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class QueueSettingsIntegrationTests {

    private static final QueueFixture queue = new QueueFixture();

    @BeforeEach
    void reset() {
        queue.reset();
    }

    @Nested
    class Pause {

        @Test
        void stopsClaimingFromTheQueueAndFromNoOther() {
            queue.publish();
            UUID other = queue.publish("queue => 'other'");
            queue.operations.pause("default");

            assertThat(queue.claims.claim(UUID.randomUUID(), Map.of("default", 5, "other", 5), null))
                    .extracting(job -> job.lease().id())
                    .containsExactly(other);
        }

        @Test
        void letsRunningJobsFinishAndPublishersGoOn() {
            JobLease lease = queue.claimNew();
            queue.operations.pause("default");

            queue.settlements.complete(lease, null);
            UUID waiting = queue.publish();

            assertThat(queue.stateOf(lease.id())).isEqualTo(JobState.COMPLETED);
            assertThat(queue.stateOf(waiting)).isEqualTo(JobState.PENDING);
        }

        @Test
        void endsWithResume() {
            UUID id = queue.publish();
            queue.operations.pause("default");
            queue.claim(UUID.randomUUID(), 1);
            queue.operations.resume("default");

            assertThat(queue.claim().lease().id()).isEqualTo(id);
        }

        @Test
        void maySafelyBeRepeated() {
            queue.operations.pause("default");
            List<String> paused = queue.everyRow();
            queue.operations.pause("default");
            assertThat(queue.everyRow()).isEqualTo(paused);

            queue.operations.resume("default");
            List<String> resumed = queue.everyRow();
            queue.operations.resume("default");
            queue.operations.resume("never paused");
            assertThat(queue.everyRow()).isEqualTo(resumed);
        }

        @Test
        void keepsTheOtherSettingsOfTheQueue() {
            queue.operations.configureQueue("default", Duration.ofDays(2), 5, 6);
            queue.operations.pause("default");
            queue.operations.resume("default");

            assertThat(settingsOf("default")).isEqualTo("2 days 5 6");
        }
    }

    private static String settingsOf(String name) {
        return queue.one(
                String.class,
                "SELECT concat_ws(' ', justify_hours(retention), pending_warning, pending_critical)"
                        + " FROM queue.queue WHERE name = ?",
                name);
    }

    @Nested
    class Configure {

        private String settings() {
            return queue.one(
                    String.class,
                    "SELECT concat_ws(' ', justify_hours(retention), max_payload_bytes, pending_warning,"
                            + " pending_critical)"
                            + " FROM queue.setting");
        }

        @Test
        void startsWithTheDocumentedDefaults() {
            assertThat(settings()).isEqualTo("7 days 1048576 100 1000");
        }

        @Test
        void changesWhatIsGivenAndLeavesTheRest() {
            queue.operations.configure(Duration.ofDays(3), null, null, null);
            assertThat(settings()).isEqualTo("3 days 1048576 100 1000");
            queue.operations.configure(null, 2_000, 7, null);
            assertThat(settings()).isEqualTo("3 days 2000 7 1000");
            queue.operations.configure(null, null, null, 8);
            assertThat(settings()).isEqualTo("3 days 2000 7 8");
        }

        @Test
        void changesWhatIsGivenForOneQueueAndLeavesTheRest() {
            queue.operations.configureQueue("a", Duration.ofDays(3), null, null);
            queue.operations.configureQueue("a", null, 7, 8);
            queue.operations.configureQueue("b", null, null, 9);

            assertThat(settingsOf("a")).isEqualTo("3 days 7 8");
            assertThat(settingsOf("b")).isEqualTo("9");
        }

        @Test
        void limitsThePayload() {
            queue.operations.configure(null, 1_000, null, null);
            NewJob fits = NewJobs.of(UUID.randomUUID(), "mail", "\"" + "x".repeat(998) + "\"");
            NewJob tooLong = NewJobs.of(UUID.randomUUID(), "mail", "\"" + "x".repeat(999) + "\"");
            queue.publications.publish(List.of(fits), false);

            queue.refuses(InvalidJobException.class, () -> queue.publications.publish(List.of(tooLong), false))
                    .hasMessageContaining("longer than 1000 bytes");
        }

        @Test
        void takesAPayloadOfOneMebibyteAndNoByteMoreByDefault() {
            NewJob fits = NewJobs.of(UUID.randomUUID(), "mail", "\"" + "x".repeat(1_048_574) + "\"");
            NewJob tooLong = NewJobs.of(UUID.randomUUID(), "mail", "\"" + "x".repeat(1_048_575) + "\"");
            queue.publications.publish(List.of(fits), false);

            queue.refuses(InvalidJobException.class, () -> queue.publications.publish(List.of(tooLong), false))
                    .hasMessageContaining("longer than 1048576 bytes");
        }
    }

    @Nested
    class DeadLetters {

        private UUID dead(String error, String... arguments) {
            UUID id = queue.publish(arguments);
            String name = (String) queue.job(id).get("queue");
            JobLease lease = queue.claims
                    .claim(UUID.randomUUID(), Map.of(name, 1), null)
                    .get(0)
                    .lease();
            queue.settlements.failAll(List.of(new SettleCalls.Failure(lease, error, false)));
            return id;
        }

        private static JobFilter dead() {
            return JobFilter.of(JobState.DEAD);
        }

        private static long replay(JobFilter filter) {
            return queue.api.all(filter).replay().jobs();
        }

        private static long purge(JobFilter filter) {
            return queue.api.all(filter).purge().jobs();
        }

        private List<UUID> deadIds() {
            return queue.list(UUID.class, "SELECT id FROM queue.dead_letter");
        }

        @Test
        void areReplayedByQueueTypeAndLastError() {
            UUID a = dead("connection refused", "queue => 'a'");
            UUID b = dead("connection refused", "queue => 'b'");
            UUID c = dead("no such user", "queue => 'a'");

            assertThat(replay(dead().queue("a").type("mail").errorLike("connection%")))
                    .isEqualTo(1);
            assertThat(queue.stateOf(a)).isEqualTo(JobState.PENDING);
            assertThat(replay(dead().type("other"))).isZero();
            assertThat(deadIds()).containsExactlyInAnyOrder(b, c);
            assertThat(replay(dead())).isEqualTo(2);
            assertThat(deadIds()).isEmpty();
        }

        @Test
        void areReplayedOldestFirstUpToTheMaximum() {
            UUID first = dead("oops");
            UUID second = dead("oops");
            UUID third = dead("oops");

            assertThat(queue.api.all(dead()).limit(2).replay()).isEqualTo(new JobCount(2, true));

            assertThat(deadIds()).containsExactly(third);
            assertThat(queue.claim(UUID.randomUUID(), 5))
                    .extracting(job -> job.lease().id())
                    .containsExactlyInAnyOrder(first, second);
        }

        @Test
        void stayDeadWhenALiveJobHoldsTheirUniqueKey() {
            UUID blocked = dead("oops", "unique_key => 'k'");
            UUID free = dead("oops");
            queue.publish("unique_key => 'k'", "run_at => now() + interval '1 hour'");

            assertThat(queue.api.all(dead()).limit(1).replay()).returns(1L, JobCount::jobs);

            assertThat(deadIds()).containsExactly(blocked);
            assertThat(queue.stateOf(free)).isEqualTo(JobState.PENDING);
        }

        @Test
        void areReplayedOncePerUniqueKey() {
            dead("oops", "unique_key => 'k'");
            dead("oops", "unique_key => 'k'");

            assertThat(replay(dead())).isEqualTo(1);
            assertThat(deadIds()).hasSize(1);
        }

        @Test
        void arePurgedWithStepsAndEvents() {
            JobLease lease = queue.claimNew();
            queue.reports.saveStep(lease, "render", "1");
            queue.reports.log(lease, "INFO", "x");
            queue.settlements.failAll(List.of(new SettleCalls.Failure(lease, "oops", false)));

            queue.operations.purge(lease.id());

            assertThat(queue.everyRow())
                    .noneMatch(row -> row.contains(lease.id().toString()));
        }

        @Test
        void cannotBePurgedTwiceNorBeforeTheyDied() {
            UUID id = dead("oops");
            queue.operations.purge(id);
            UUID pending = queue.publish();

            queue.refuses(JobNotFoundException.class, () -> queue.operations.purge(id));
            queue.refuses(JobNotFoundException.class, () -> queue.operations.purge(pending));
        }

        @Test
        void arePurgedByQueueTypeErrorAndAge() {
            UUID old = dead("refused", "queue => 'a'");
            queue.execute("UPDATE queue.dead_letter SET died_at = died_at - interval '2 days'");
            UUID fresh = dead("refused", "queue => 'a'");
            UUID other = dead("refused", "queue => 'b'");

            assertThat(purge(dead().queue("a")
                            .type("mail")
                            .errorLike("refused")
                            .before(Instant.now().minus(Duration.ofDays(1)))))
                    .isEqualTo(1);
            assertThat(deadIds()).containsExactlyInAnyOrder(fresh, other).doesNotContain(old);
            assertThat(purge(dead().errorLike("nothing like it"))).isZero();
            assertThat(purge(dead().queue("b"))).isEqualTo(1);
            assertThat(purge(dead())).isEqualTo(1);
        }
    }

    @Nested
    class Owner {

        private final OperateCalls shop = new OperateCalls(queue.sql, "shop");
        private final OperateCalls warehouse = new OperateCalls(queue.sql, "warehouse");
        private final RetryPolicy policy = RetryPolicy.DEFAULT;

        @Test
        void isToldWhoseValuesItReplaced() {
            assertThat(shop.configure(Duration.ofDays(3), null, null, null)).isEmpty();
            assertThat(warehouse.configure(Duration.ofDays(3), null, null, null))
                    .isEmpty();
            assertThat(warehouse.configure(Duration.ofDays(4), null, null, null))
                    .hasValue("shop");
            assertThat(shop.configure(null, null, 7, null)).isEmpty();
            assertThat(warehouse.configure(null, null, 8, null)).hasValue("shop");
            assertThat(shop.configure(Duration.ofDays(5), null, null, null)).hasValue("warehouse");

            assertThat(shop.configureQueue("mail", Duration.ofDays(3), null, null))
                    .isEmpty();
            assertThat(warehouse.configureQueue("mail", Duration.ofDays(3), null, null))
                    .isEmpty();
            assertThat(warehouse.configureQueue("mail", null, 5, null)).isEmpty();
            assertThat(warehouse.configureQueue("mail", Duration.ofHours(1), null, null))
                    .hasValue("shop");

            assertThat(shop.setRetryPolicy("mail", policy, null)).isEmpty();
            assertThat(warehouse.setRetryPolicy("mail", policy, null)).isEmpty();
            assertThat(warehouse.setRetryPolicy("mail", policy, Duration.ofMinutes(1)))
                    .hasValue("shop");
        }

        @Test
        void isNobodyForWhatAnOperatorSets() {
            shop.configure(Duration.ofDays(3), null, null, null);
            assertThat(queue.operations.configure(Duration.ofDays(4), null, null, null))
                    .isEmpty();
            assertThat(warehouse.configure(Duration.ofDays(5), null, null, null))
                    .isEmpty();
        }
    }
}
