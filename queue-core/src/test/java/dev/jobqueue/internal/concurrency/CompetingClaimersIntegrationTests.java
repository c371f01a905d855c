package dev.jobqueue.internal.concurrency;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.internal.Places;
import dev.jobqueue.internal.Uuids;
import dev.jobqueue.internal.handle.ClaimedJob;
import dev.jobqueue.internal.publish.NewJob;
import dev.jobqueue.internal.publish.NewJobs;
import dev.jobqueue.postgres.TestDatabase;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CompetingClaimersIntegrationTests {

    private static final int JOBS = 10_000;

    private final TestDatabase database = Session.database();

    @AfterEach
    void audit() throws SQLException {
        Places.audit(database);
    }

    @ParameterizedTest
    @ValueSource(ints = {8, 64})
    void givesEachJobToExactlyOneOf(int claimers) throws Exception {
        List<UUID> published = publish(JOBS, "mail", "reports");

        List<UUID> claimed = Race.run(database, claimers, CompetingClaimersIntegrationTests::claimUntilEmpty).stream()
                .flatMap(List::stream)
                .toList();

        assertThat(claimed).hasSize(JOBS).doesNotHaveDuplicates();
        assertThat(claimed).containsExactlyInAnyOrderElementsOf(published);
        try (Session session = Session.open(database)) {
            assertThat(session.number("SELECT count(*) FROM queue.live_job WHERE state = 'RUNNING' AND attempt = 1"))
                    .isEqualTo(JOBS);
            assertThat(session.number("SELECT count(DISTINCT worker_id) FROM queue.live_job"))
                    .isBetween(1L, (long) claimers);
        }
    }

    @Test
    void goesOnWhileTheClaimsOfOthersDoNotEnd() throws Exception {
        publish(2_000, Session.QUEUE);
        try (Session first = Session.open(database);
                Session second = Session.open(database);
                Session third = Session.open(database)) {
            first.execute("BEGIN");
            second.execute("BEGIN");
            assertThat(first.claim(300)).hasSize(300);
            assertThat(second.claim(300)).hasSize(300);
            assertThat(third.claim(300)).hasSize(300);
            assertThat(third.claim(5)).hasSize(5);
            first.execute("ROLLBACK");
            second.execute("ROLLBACK");
            third.becomeAnotherWorker();
            assertThat(third.claim(2_000)).hasSize(2_000 - 305);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {70, 300, 2_000})
    void keepsTheOrderOfOneClaimerFromClaimToClaim(int limit) throws Exception {
        publish(2_000, Session.QUEUE);

        List<ClaimedJob> claimed = new ArrayList<>();
        try (Session session = Session.open(database)) {
            for (List<ClaimedJob> batch = session.claim(limit); !batch.isEmpty(); batch = session.claim(limit)) {
                claimed.addAll(batch);
            }
            Map<UUID, Integer> priorities = priorities(session);
            assertThat(claimed)
                    .hasSize(2_000)
                    .isSortedAccordingTo(Comparator.comparing((ClaimedJob job) ->
                                    -priorities.get(job.lease().id()))
                            .thenComparing(ClaimedJob::runAt)
                            .thenComparing(job -> job.lease().id().toString()));
        }
    }

    private static List<UUID> claimUntilEmpty(Session session, int number) {
        Random random = new Random(number);
        List<UUID> claimed = new ArrayList<>();
        while (true) {
            Map<String, Integer> limits = Map.of("mail", random.nextInt(400), "reports", 1 + random.nextInt(400));
            List<ClaimedJob> batch = session.claims.claim(session.workerId(), limits, null);
            limits.forEach((queue, limit) -> assertThat(batch)
                    .filteredOn(job -> job.queue().equals(queue))
                    .hasSizeLessThanOrEqualTo(limit));
            batch.forEach(job -> claimed.add(job.lease().id()));
            // Zero was asked of "mail" now and then: only a claim that wanted both proves that both are empty.
            if (batch.isEmpty() && limits.get("mail") > 0) {
                return claimed;
            }
        }
    }

    private List<UUID> publish(int count, String... queues) throws Exception {
        List<UUID> ids = new ArrayList<>();
        try (Session session = Session.open(database)) {
            for (int from = 0; from < count; from += 1_000) {
                ids.addAll(session.publications.publish(
                        IntStream.range(from, from + 1_000)
                                .mapToObj(i -> job(queues[i % queues.length], i % 3 * 50))
                                .toList(),
                        false));
            }
        }
        return ids;
    }

    private static NewJob job(String queue, int priority) {
        return NewJobs.with(Uuids.next(), "test", "{}")
                .queue(queue)
                .priority(priority)
                .build();
    }

    private static Map<UUID, Integer> priorities(Session session) throws Exception {
        Map<UUID, Integer> priorities = new HashMap<>();
        for (int priority : new int[] {0, 50, 100}) {
            session.<UUID>column("SELECT id FROM queue.live_job WHERE priority = ?", priority)
                    .forEach(id -> priorities.put(id, priority));
        }
        return priorities;
    }
}
