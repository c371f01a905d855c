package dev.jobqueue.internal.operate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobqueue.InvalidJobException;
import dev.jobqueue.JobState;
import dev.jobqueue.internal.QueueFixture;
import dev.jobqueue.operate.DeadGroup;
import dev.jobqueue.operate.JobCount;
import dev.jobqueue.operate.JobCursor;
import dev.jobqueue.operate.JobFilter;
import dev.jobqueue.operate.JobSummary;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DeadGroupsIntegrationTests {

    private static final QueueFixture queue = new QueueFixture();

    @AfterEach
    void reset() {
        queue.reset();
    }

    private static String fingerprint(String error) {
        return queue.one(String.class, "SELECT queue.internal_fingerprint('q', 't', ?)", error);
    }

    @Nested
    class AFingerprint {

        @ParameterizedTest
        @CsvSource(
                delimiter = '|',
                quoteCharacter = '~',
                value = {
                    "a.TimeoutException: after 1500 ms | a.TimeoutException: after 30 ms",
                    "a.E: no order 'A-7' | a.E: no order 'B-8, late'",
                    "a.E: no \"x\" | a.E: no \"a longer text\"",
                    "a.E: job 0198c2f0-1111-7222-8333-444455556666 | a.E: job 0198c2f0-aaaa-7bbb-8ccc-ddddeeee0000",
                    "a.E: in Thing@1f2e3d | a.E: in Thing@99"
                })
        void isTheSameWhereOnlyNumbersIdsAndQuotesDiffer(String one, String other) {
            assertThat(fingerprint(one)).isEqualTo(fingerprint(other)).hasSize(16);
        }

        @ParameterizedTest
        @CsvSource({"a.E: timed out, a.F: timed out", "a.E: timed out, a.E: refused", "a.E, a.E: refused"})
        void isAnotherOneForAnotherClassOrMessage(String one, String other) {
            assertThat(fingerprint(one)).isNotEqualTo(fingerprint(other));
        }

        @Test
        void doesNotDependOnTheFramesOfTheStackButOnItsCauses() {
            String error = "a.E: failed\n\tat a.B.c(B.java:%d)\n\t... 7 more%s";
            assertThat(fingerprint(error.formatted(1, ""))).isEqualTo(fingerprint(error.formatted(22, "")));
            assertThat(fingerprint(error.formatted(1, "\nCaused by: a.F: x")))
                    .isNotEqualTo(fingerprint(error.formatted(1, "")));
        }

        @Test
        void isGivenLaterToDeadLettersThatHaveNone() {
            UUID id = queue.publishDead("a.E: 7");
            queue.execute("UPDATE queue.dead_letter SET fingerprint = NULL");
            queue.call("measure('0')");

            assertThat(queue.deadLetter(id))
                    .containsEntry(
                            "fingerprint",
                            queue.one(String.class, "SELECT queue.internal_fingerprint('default', 'mail', 'a.E: 7')"));
        }
    }

    @Nested
    class AGroup {

        @Test
        void hasAllThatDiedOfTheSame() {
            queue.publishDead("a.E: order 1");
            queue.publishDead("a.F: other");
            UUID last = queue.publishDead("a.E: order 2\n\tat a.B.c(B.java:1)");

            List<DeadGroup> groups = queue.api.deadGroups(10);

            assertThat(groups).extracting(DeadGroup::error).containsExactly("a.E: order 2", "a.F: other");
            assertThat(groups.get(0).jobs()).isEqualTo(new JobCount(2, false));
            assertThat(groups.get(0).example()).isEqualTo(last);
            assertThat(groups.get(0).type()).isEqualTo("mail");
            assertThat(groups.get(0).queue()).isEqualTo("default");
            assertThat(groups.get(0).firstAt()).isBefore(groups.get(0).lastAt());
            assertThat(queue.api.deadGroups(1)).hasSize(1);
        }

        @Test
        void canBeFoundCountedReplayedAndPurged() {
            UUID first = queue.publishDead("a.E: order 1");
            UUID second = queue.publishDead("a.E: order 2");
            UUID other = queue.publishDead("a.F: other");
            List<DeadGroup> groups = queue.api.deadGroups(10);
            JobFilter ofOther =
                    JobFilter.of(JobState.DEAD).fingerprint(groups.get(0).fingerprint());
            JobFilter both =
                    JobFilter.of(JobState.DEAD).fingerprint(groups.get(1).fingerprint());

            assertThat(queue.api.find(both, JobCursor.START, 10).jobs())
                    .extracting(JobSummary::id)
                    .containsExactly(second, first);
            assertThat(queue.api.find(both, JobCursor.START, 1).jobs()).hasSize(1);
            assertThat(queue.api.count(both).jobs()).isEqualTo(2);
            assertThat(queue.api.all(both).replay().jobs()).isEqualTo(2);
            assertThat(queue.api.all(ofOther).purge().jobs()).isEqualTo(1);
            assertThat(queue.api.find(other)).isEmpty();
            assertThat(queue.stateOf(first)).isEqualTo(JobState.PENDING);
        }

        @Test
        void isOfDeadJobsOnly() {
            assertThatThrownBy(
                            () -> queue.api.count(JobFilter.of(JobState.PENDING).fingerprint("x")))
                    .isInstanceOf(InvalidJobException.class)
                    .hasMessageContaining("fingerprint is 'x': must not be given but with state DEAD");
        }
    }

    /** 120,000 in 50 groups, one of which has 100,000. */
    @Test
    void costsByTheNumberOfGroups() {
        queue.execute(
                "INSERT INTO queue.dead_letter (id, queue, type, priority, run_at, payload, attempt, max_attempts,"
                        + " created_at, errors, reason, died_at, fingerprint) SELECT gen_random_uuid(), 'q', 't',"
                        + " 0, now(),"
                        + " '{}', 1, 1, now(), '[{\"error\": \"a.E: x\"}]', 'why', now() - i * interval '1 second',"
                        + " lpad((CASE WHEN i <= 100000 THEN 0 ELSE i % 49 + 1 END)::text, 16, '0')"
                        + " FROM generate_series(1, 120000) AS i");
        queue.execute("VACUUM ANALYZE queue.dead_letter");

        List<DeadGroup> groups = queue.api.deadGroups(100);
        assertThat(groups).hasSize(50);
        assertThat(groups.get(0).jobs()).isEqualTo(new JobCount(1_000, true));

        queue.execute("BEGIN");
        long before = blocks();
        queue.api.deadGroups(100);
        queue.api.find(JobFilter.of(JobState.DEAD).fingerprint("0000000000000007"), JobCursor.START, 50);
        long touched = blocks() - before;
        queue.execute("ROLLBACK");
        assertThat(queue.one(
                        Long.class,
                        "SELECT sum(pg_relation_size(c.oid) / 8192)::bigint FROM pg_class c"
                                + " WHERE c.relname LIKE 'dead_letter%' AND c.relnamespace = 'queue'::regnamespace"))
                .isGreaterThan(3_000);
        assertThat(touched).as("blocks").isLessThan(2_500);
    }

    private static long blocks() {
        return queue.one(
                Long.class,
                "SELECT sum(pg_stat_get_xact_blocks_fetched(c.oid))::bigint FROM pg_class c"
                        + " WHERE c.relname LIKE 'dead_letter%' AND c.relnamespace = 'queue'::regnamespace");
    }
}
