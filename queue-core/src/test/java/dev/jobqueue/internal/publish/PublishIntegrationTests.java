package dev.jobqueue.internal.publish;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.jobqueue.JobState;
import dev.jobqueue.RetryPolicy;
import dev.jobqueue.internal.QueueFixture;
import dev.jobqueue.internal.handle.ClaimedJob;
import dev.jobqueue.internal.settle.SettleCalls;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class PublishIntegrationTests {

    private static final QueueFixture queue = new QueueFixture();

    @BeforeEach
    void reset() {
        queue.reset();
    }

    private static NewJob withKey(UUID id, boolean given, String type, String key) {
        return NewJobs.with(id, type, "{}").givenId(given).uniqueKey(key).build();
    }

    private static List<UUID> published() {
        return queue.list(UUID.class, "SELECT id FROM queue.live_job");
    }

    @Nested
    class OneJob {

        @Test
        void hasDefaultsForAllButTypeAndPayload() {
            UUID id = queue.one(UUID.class, "SELECT queue.publish('mail', '[1]')");

            Map<String, Object> job = queue.job(id);
            assertThat(job)
                    .containsEntry("queue", "default")
                    .containsEntry("priority", 0)
                    .containsEntry("timeout", null)
                    .containsEntry("unique_key", null)
                    .containsEntry("headers", null)
                    .containsEntry("errors", null)
                    .containsEntry("steps", null)
                    .containsEntry("events", null)
                    .containsEntry("run_at", job.get("created_at"));
            assertThat(job.get("payload")).hasToString("[1]");
            assertThat(queue.one(String.class, "SELECT concat(headers, ' ', errors) FROM queue.find_job(?)", id))
                    .isEqualTo("{} []");
            assertThat(id.version()).isEqualTo(7);
            assertThat(queue.one(Integer.class, "SELECT max_attempts FROM queue.find_job(?)", id))
                    .isEqualTo(3);
        }

        @Test
        void hasTheSameDefaultsWhenJavaPublishes() {
            UUID id = UUID.randomUUID();

            assertThat(queue.publications.publish(List.of(NewJobs.of(id, "mail", "[1]")), false))
                    .containsExactly(id);

            Map<String, Object> byJava = queue.job(id);
            Map<String, Object> bySql = queue.job(queue.one(UUID.class, "SELECT queue.publish('mail', '[1]')"));
            for (String own : List.of("id", "run_at", "created_at")) {
                byJava.remove(own);
                bySql.remove(own);
            }
            assertThat(byJava).isEqualTo(bySql);
        }

        @Test
        void takesEachArgumentByName() {
            UUID id = UUID.randomUUID();
            Instant at = Instant.now().plus(1, ChronoUnit.DAYS).truncatedTo(ChronoUnit.MICROS);

            assertThat(queue.one(
                            UUID.class,
                            "SELECT queue.publish(type => 'report', payload => jsonb '{\"n\": 1}', queue => 'slow',"
                                    + " priority => 150, run_at => ?::timestamptz, max_attempts => 9,"
                                    + " timeout => interval '90 seconds', unique_key => 'k', headers => '{\"h\": 2}',"
                                    + " id => ?)",
                            at.toString(),
                            id))
                    .isEqualTo(id);

            assertThat(queue.one(
                            Boolean.class,
                            "SELECT (type, payload::jsonb, queue, priority, run_at, max_attempts, timeout,"
                                    + " unique_key, headers)"
                                    + " = ('report', jsonb '{\"n\": 1}', 'slow', 150, ?::timestamptz, 9,"
                                    + " interval '90 seconds', 'k', jsonb '{\"h\": 2}') FROM queue.live_job WHERE"
                                    + " id = ?",
                            at.toString(),
                            id))
                    .isTrue();
        }

        @Test
        void carriesEveryFieldOfJava() {
            UUID id = UUID.randomUUID();
            Instant at = Instant.now().plus(1, ChronoUnit.DAYS).truncatedTo(ChronoUnit.MICROS);
            NewJob job = NewJobs.with(id, "report", "{\"n\": 1}")
                    .givenId(true)
                    .queue("slow")
                    .priority(-7)
                    .runAt(at)
                    .maxAttempts(9)
                    .timeout(Duration.ofSeconds(90))
                    .uniqueKey("k")
                    .headers("{\"h\": 2}")
                    .build();

            queue.publications.publish(List.of(job), true);

            assertThat(queue.one(
                            Boolean.class,
                            "SELECT (type, payload::jsonb, queue, priority, run_at, max_attempts, timeout,"
                                    + " unique_key, headers)"
                                    + " = ('report', jsonb '{\"n\": 1}', 'slow', -7, ?::timestamptz, 9,"
                                    + " interval '90 seconds', 'k', jsonb '{\"h\": 2}') FROM queue.live_job WHERE"
                                    + " id = ?",
                            at.toString(),
                            id))
                    .isTrue();
        }

        @Test
        void takesMaxAttemptsAndTimeoutFromTheRetryPolicyOfItsType() {
            queue.operations.setRetryPolicy("mail", policy(8), Duration.ofMinutes(2));

            UUID byPolicy = queue.publish();
            UUID byArgument = queue.publish("max_attempts => 1", "timeout => '1 second'");
            UUID otherType = queue.one(UUID.class, "SELECT queue.publish('other', '{}')");

            assertThat(limits(byPolicy)).isEqualTo("8 00:02:00");
            assertThat(limits(byArgument)).isEqualTo("1 00:00:01");
            assertThat(limits(otherType)).isEqualTo("3");
            assertThat(queue.claim(UUID.randomUUID(), 3))
                    .extracting(job -> job.lease().id(), ClaimedJob::maxAttempts, ClaimedJob::timeoutMillis)
                    .containsExactly(
                            tuple(byPolicy, 8, 120_000L), tuple(byArgument, 1, 1_000L), tuple(otherType, 3, null));
            assertThat(limits(byPolicy)).isEqualTo("8 00:02:00");
        }

        @Test
        void hasTheAttemptsOfThePolicyAtTheTimeTheyAreCounted() {
            queue.operations.setRetryPolicy("mail", policy(2), null);
            UUID id = queue.publish();
            queue.operations.setRetryPolicy("mail", policy(8), null);
            ClaimedJob claimed = queue.claim();
            assertThat(claimed.maxAttempts()).isEqualTo(8);
            queue.operations.setRetryPolicy("mail", policy(1), Duration.ofMinutes(1));

            queue.settlements.failAll(List.of(new SettleCalls.Failure(claimed.lease(), "oops", true)));

            assertThat(queue.deadLetter(id)).containsEntry("reason", "attempt 1 of 1 failed");
        }

        private RetryPolicy policy(int maxAttempts) {
            return new RetryPolicy(maxAttempts, Duration.ofSeconds(1), 2, Duration.ofMinutes(1), 0);
        }

        private String limits(UUID id) {
            return queue.one(String.class, "SELECT concat_ws(' ', max_attempts, timeout) FROM queue.find_job(?)", id);
        }

        @Test
        void isGoneWhenItsTransactionRollsBack() {
            queue.execute("DO $$ BEGIN PERFORM queue.publish('mail', '{}'); RAISE EXCEPTION 'no'; EXCEPTION WHEN"
                    + " raise_exception THEN NULL; END $$");

            assertThat(published()).isEmpty();
        }
    }

    @Nested
    class Order {

        @Test
        void isByPriorityThenRunAtThenId() {
            List<UUID> ids =
                    IntStream.range(0, 7).mapToObj(i -> new UUID(0x7000, i)).toList();
            publish(ids.get(6), 30, "2020-01-01");
            publish(ids.get(5), 100, "2020-01-02");
            publish(ids.get(4), 100, "2020-01-01");
            publish(ids.get(3), 100, "2020-01-01");
            publish(ids.get(2), 150, "2020-01-03");
            publish(ids.get(1), 0, "2019-01-01");
            publish(ids.get(0), -5, "2018-01-01");

            assertThat(queue.claim(UUID.randomUUID(), 10))
                    .extracting(job -> job.lease().id())
                    .containsExactly(
                            ids.get(2), ids.get(3), ids.get(4), ids.get(5), ids.get(6), ids.get(1), ids.get(0));
        }

        @Test
        void holdsAcrossClaimsOfOne() {
            for (int priority : List.of(30, 150, 100, 0, 150, Integer.MIN_VALUE, Integer.MAX_VALUE)) {
                queue.publish("priority => " + priority);
            }
            List<Integer> order = new ArrayList<>();
            UUID worker = UUID.randomUUID();
            for (List<ClaimedJob> claimed = queue.claim(worker, 1);
                    !claimed.isEmpty();
                    claimed = queue.claim(worker, 1)) {
                order.add((Integer) queue.job(claimed.get(0).lease().id()).get("priority"));
            }

            assertThat(order).hasSize(7).isSortedAccordingTo(Collections.reverseOrder());
        }

        private void publish(UUID id, int priority, String day) {
            queue.publish("id => '" + id + "'", "priority => " + priority, "run_at => '" + day + "'");
        }
    }

    @Nested
    class AnIdThatWasPublishedBefore {

        private final UUID id = UUID.randomUUID();

        private void publishAgainInEveryWay() {
            List<String> before = queue.everyRow();
            NewJob again = NewJobs.with(id, "other", "{}")
                    .givenId(true)
                    .queue("q")
                    .priority(1)
                    .build();
            assertThat(queue.publications.publish(List.of(again), true)).containsExactly(id);
            assertThat(queue.publish("id => '" + id + "'")).isEqualTo(id);
            assertThat(queue.one(
                            UUID.class,
                            "SELECT queue.publish_many(jsonb_build_array(jsonb_build_object("
                                    + "'type', 'mail', 'payload', 1, 'id', ?)))",
                            id.toString()))
                    .isEqualTo(id);
            assertThat(queue.everyRow()).isEqualTo(before);
        }

        @Test
        void isNotPublishedAgainWhileLive() {
            queue.publish("id => '" + id + "'");
            publishAgainInEveryWay();
            queue.claim();
            publishAgainInEveryWay();
        }

        @Test
        void isNotPublishedAgainWhenCompleted() {
            queue.settlements.complete(queue.claimNew("id => '" + id + "'"), null);
            publishAgainInEveryWay();
        }

        @Test
        void isNotPublishedAgainWhenDead() {
            queue.publishDead("oops", "id => '" + id + "'");
            publishAgainInEveryWay();
        }

        @Test
        void doesNotKeepTheRestOfABatchFromBeingPublished() {
            queue.publish("id => '" + id + "'");
            UUID fresh = UUID.randomUUID();

            List<UUID> answer = queue.publications.publish(
                    List.of(
                            withKey(id, true, "mail", null),
                            withKey(fresh, true, "mail", null),
                            withKey(fresh, true, "mail", null)),
                    true);

            assertThat(answer).containsExactly(id, fresh, fresh);
            assertThat(published()).containsExactlyInAnyOrder(id, fresh);
        }
    }

    @Nested
    class AUniqueKey {

        @Test
        void isHeldByOneLiveJobOfTheType() {
            UUID first = queue.publish("unique_key => 'k'");

            assertThat(queue.publish("unique_key => 'k'")).isEqualTo(first);
            assertThat(queue.publications.publish(List.of(withKey(UUID.randomUUID(), false, "mail", "k")), true))
                    .containsExactly(first);
            queue.claim();
            assertThat(queue.publish("unique_key => 'k'")).isEqualTo(first);
            assertThat(published()).containsExactly(first);
        }

        @Test
        void mayBeUsedByAnotherType() {
            queue.publish("unique_key => 'k'");

            queue.call("publish('other', '{}', unique_key => 'k')");

            assertThat(published()).hasSize(2);
        }

        @Test
        void isFreeAgainWhenTheJobIsCompletedOrDead() {
            queue.settlements.complete(queue.claimNew("unique_key => 'k'"), null);
            queue.publishDead("oops", "unique_key => 'k'");

            UUID third = queue.publish("unique_key => 'k'");

            assertThat(published()).containsExactly(third);
        }

        @Test
        void countsWithinABatchToo() {
            UUID first = UUID.randomUUID();
            UUID other = UUID.randomUUID();

            List<UUID> answer = queue.publications.publish(
                    List.of(
                            withKey(first, false, "mail", "k"),
                            withKey(other, false, "mail", "l"),
                            withKey(UUID.randomUUID(), false, "mail", "k")),
                    true);

            assertThat(answer).hasSize(3).doesNotContainNull();
            assertThat(answer.get(0)).isEqualTo(answer.get(2));
            assertThat(answer.get(1)).isEqualTo(other);
            assertThat(published()).containsExactlyInAnyOrder(answer.get(0), other);
        }
    }

    @Nested
    class ManyJobs {

        @Test
        void areInsertedInOneCallAndAnsweredInOrder() {
            List<NewJob> jobs = IntStream.range(0, 5_000)
                    .mapToObj(i -> NewJobs.with(UUID.randomUUID(), "mail", "{\"n\": " + i + "}")
                            .queue("q" + i % 3)
                            .priority(i % 5)
                            .maxAttempts(i % 2 == 0 ? null : 7)
                            .build())
                    .toList();

            List<UUID> answer = queue.publications.publish(jobs, true);

            assertThat(answer).isEqualTo(jobs.stream().map(NewJob::id).toList());
            assertThat(published()).containsExactlyInAnyOrderElementsOf(answer);
            assertThat(queue.job(answer.get(4_321)))
                    .containsEntry("queue", "q1")
                    .containsEntry("priority", 1)
                    .containsEntry("max_attempts", 7)
                    .hasEntrySatisfying(
                            "payload", payload -> assertThat(payload).hasToString("{\"n\": 4321}"));
        }

        @Test
        void mayComeAsJson() {
            List<UUID> answer = queue.list(UUID.class, "SELECT * FROM queue.publish_many(?::jsonb)", """
                    [{"type": "mail", "payload": {"n": 1}},
                     {"type": "report", "payload": [2], "queue": "slow", "priority": 5, "delay": "1 hour",
                      "max_attempts": 2, "timeout": "30 seconds", "unique_key": "k", "headers": {"h": "x"},
                      "id": "01890000-0000-7000-8000-000000000001"},
                     {"type": "mail", "payload": 3, "run_at": "2020-01-01T00:00:00Z"}]""");

            assertThat(answer).hasSize(3);
            assertThat(answer.get(1)).hasToString("01890000-0000-7000-8000-000000000001");
            assertThat(queue.stateOf(answer.get(0))).isEqualTo(JobState.PENDING);
            assertThat(queue.one(
                            Boolean.class,
                            "SELECT (queue, priority, max_attempts, timeout, unique_key, headers, state,"
                                    + " payload::jsonb)"
                                    + " = ('slow', 5, 2, interval '30 seconds', 'k', jsonb '{\"h\": \"x\"}',"
                                    + " 'SCHEDULED',"
                                    + " jsonb '[2]') AND run_at = created_at + interval '1 hour'"
                                    + " FROM queue.live_job WHERE id = ?",
                            answer.get(1)))
                    .isTrue();
            assertThat(queue.claim(UUID.randomUUID(), 5))
                    .extracting(job -> job.lease().id())
                    .containsExactly(answer.get(2), answer.get(0));
        }

        @Test
        void mayBeNone() {
            assertThat(queue.publications.publish(List.of(), true)).isEmpty();
            assertThat(queue.list(UUID.class, "SELECT * FROM queue.publish_many('[]')"))
                    .isEmpty();
        }
    }
}
