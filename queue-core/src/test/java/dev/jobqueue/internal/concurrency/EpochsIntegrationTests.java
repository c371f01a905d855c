package dev.jobqueue.internal.concurrency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import dev.jobqueue.internal.Places;
import dev.jobqueue.internal.publish.NewJob;
import dev.jobqueue.internal.publish.NewJobs;
import dev.jobqueue.postgres.TestDatabase;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** However often an epoch begins, no job is lost, doubled or taken out of order. */
class EpochsIntegrationTests {

    private static final String ADVANCE = "SELECT queue.internal_advance(hashtextextended('default', 0), NULL, true)";
    private static final String ADVANCE_SCHEDULED = "SELECT queue.internal_advance(NULL, NULL, true)";

    private final TestDatabase database = Session.database();

    @AfterEach
    void audit() throws SQLException {
        Places.audit(database);
    }

    @Test
    void completeEveryCommittedJobOnce() throws Exception {
        EpochsLoad load = new EpochsLoad();
        int workers = EpochsLoad.PUBLISHERS + EpochsLoad.CLAIMERS;

        Race.run(database, workers + 3, (session, number) -> {
            if (number < EpochsLoad.PUBLISHERS) {
                load.publish(session, number);
            } else if (number < workers) {
                load.claim(session, number);
            } else if (number == workers) {
                load.holdSnapshot(session);
            } else if (number == workers + 1) {
                load.repeat(session, ADVANCE, ADVANCE_SCHEDULED);
            } else {
                load.repeat(session, "SELECT queue.promote(100)");
            }
            return number;
        });

        assertThat(load.committed()).hasSizeGreaterThan(1_000);
        assertThat(load.completed()).doesNotHaveDuplicates();
        assertThat(load.completed()).containsExactlyInAnyOrderElementsOf(load.committed());
        try (Session session = Session.open(database)) {
            assertThat(session.number("SELECT last_value FROM queue.current_epoch"))
                    .isGreaterThan(10);
        }
    }

    @Test
    void readNoFurtherThanTheClaimReaches() throws SQLException {
        String claim = "SELECT * FROM queue.claim(gen_random_uuid(), '{default}', '{20}')";
        try (Session session = Session.open(database)) {
            publishMany(session, 20_000);
            session.execute(ADVANCE);
            publishMany(session, 20_000);
            session.buffers(claim);

            assertThat(session.number("SELECT cardinality(queue.internal_epochs())"))
                    .isEqualTo(2);
            // one of the epochs has some hundred pages
            assertThat(session.buffers(claim)).isLessThan(400);
        }
    }

    private static void publishMany(Session session, int jobs) throws SQLException {
        session.execute("SELECT queue.publish_many(NULL, array_fill('test'::text, ARRAY[%1$d]),"
                .concat(" array_fill('{}'::text, ARRAY[%1$d]))")
                .formatted(jobs));
    }

    @Test
    void keepTheOrderOfASingleClaimer() throws SQLException {
        Comparator<NewJob> order = Comparator.comparing(NewJob::priority, Comparator.reverseOrder())
                .thenComparing(NewJob::runAt)
                .thenComparing(job -> job.id().toString());
        Random random = new Random(1);
        Instant past = Instant.now().minusSeconds(3_600);
        List<NewJob> jobs = new ArrayList<>();
        List<UUID> claimed = new ArrayList<>();
        try (Session session = Session.open(database)) {
            for (int epoch = 0; epoch < 6; epoch++) {
                for (int i = 0; i < 200; i++) {
                    Instant runAt = past.plusSeconds(random.nextInt(100));
                    jobs.add(NewJobs.with(UUID.randomUUID(), "test", "{}")
                            .priority(random.nextInt(3))
                            .runAt(runAt)
                            .build());
                }
                session.publications.publish(jobs.subList(jobs.size() - 200, jobs.size()), false);
                session.execute(ADVANCE);
            }
            assertThat(session.number("SELECT cardinality(queue.internal_epochs())"))
                    .isGreaterThan(5);

            for (List<UUID> batch = session.claimIds(70); !batch.isEmpty(); batch = session.claimIds(70)) {
                claimed.addAll(batch);
                session.execute(ADVANCE);
            }
        }

        assertThat(claimed)
                .containsExactlyElementsOf(
                        jobs.stream().sorted(order).map(NewJob::id).toList());
    }

    @Test
    void waitForATransactionThatIsPrepared() throws SQLException {
        try (Session publisher = Session.open(database);
                Session claimer = Session.open(database)) {
            assumeThat(publisher.number("SELECT current_setting('max_prepared_transactions')::int"))
                    .isPositive();
            publisher.execute("BEGIN");
            UUID prepared = publisher.publish();
            publisher.execute("PREPARE TRANSACTION 'publish " + prepared + "'");
            for (int i = 0; i < 5; i++) {
                UUID other = publisher.publish();
                assertThat(claimer.claimIds(10)).containsExactly(other);
                publisher.execute(ADVANCE);
                publisher.execute(ADVANCE_SCHEDULED);
            }

            publisher.execute("COMMIT PREPARED 'publish " + prepared + "'");

            assertThat(claimer.claimIds(10)).containsExactly(prepared);
        }
    }

    /** The publisher has read the number of the epoch, but has not locked it yet, when the epoch is found empty. */
    @Test
    void takeInNoJobAfterTheirEnd() throws Exception {
        try (Session publisher = Session.open(database);
                Session other = Session.open(database)) {
            other.execute("BEGIN");
            other.execute("SELECT pg_advisory_xact_lock(hashtext('jobqueue epochs of queue'), last_value::int)"
                    + " FROM queue.current_epoch");
            CompletableFuture<UUID> published = CompletableFuture.supplyAsync(publisher::publish);
            await().atMost(Duration.ofSeconds(60))
                    .until(() ->
                            other.number("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
                                            + " AND database = (SELECT oid FROM pg_database WHERE datname ="
                                            + " current_database())")
                                    == 1);
            other.execute(ADVANCE);
            assertThat(other.number("SELECT cardinality(queue.internal_epochs())"))
                    .isOne();
            other.execute("COMMIT");

            UUID id = published.get(60, TimeUnit.SECONDS);
            assertThat(other.claimIds(10)).containsExactly(id);
        }
    }

    /** Its snapshot does not show the job, so it must not conclude that the job's epoch is empty. */
    @ParameterizedTest
    @ValueSource(strings = {"REPEATABLE READ", "SERIALIZABLE"})
    void areLeftAloneByATransactionWithAnOldSnapshot(String isolation) throws SQLException {
        try (Session old = Session.open(database);
                Session session = Session.open(database)) {
            old.execute("BEGIN ISOLATION LEVEL " + isolation);
            old.execute("SELECT count(*) FROM queue.live_job");
            UUID published = session.publish();
            for (int i = 0; i < 3; i++) {
                old.execute(ADVANCE);
            }
            old.execute("COMMIT");

            assertThat(session.claimIds(10)).containsExactly(published);
        }
    }

    @Test
    void spareAClaimTheWalkOverJobsOfOtherTypes() throws SQLException {
        try (Session session = Session.open(database)) {
            session.execute("SELECT count(*) FROM queue.publish_many(NULL, array_fill('unhandled'::text, '{100000}'),"
                    + " array_fill('{}'::text, '{100000}'))");
            session.publish(20);
            claimOneByOne(session, 3);

            assertThat(claimOneByOne(session, 17)).allMatch(buffers -> buffers < 300);
            assertThat(claimOneByOne(session, 10)).as("of none").allMatch(buffers -> buffers < 300);
            session.publish(10);
            assertThat(claimOneByOne(session, 10)).as("of new ones").allMatch(buffers -> buffers < 300);
            assertThat(session.number("SELECT count(*) FROM queue.live_job WHERE state = 'RUNNING'"))
                    .isEqualTo(30);
        }
    }

    /** Returns how many pages each claim looked at. */
    private static List<Long> claimOneByOne(Session session, int times) throws SQLException {
        List<Long> buffers = new ArrayList<>();
        for (int i = 0; i < times; i++) {
            buffers.add(session.buffers(
                    "SELECT count(*) FROM queue.claim(?, '{default}', '{1}', '{test}')", session.workerId()));
        }
        return buffers;
    }
}
