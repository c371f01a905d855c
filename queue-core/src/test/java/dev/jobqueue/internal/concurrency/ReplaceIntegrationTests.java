package dev.jobqueue.internal.concurrency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.jobqueue.Job;
import dev.jobqueue.OnConflict;
import dev.jobqueue.PublishResult;
import dev.jobqueue.PublishResult.Outcome;
import dev.jobqueue.internal.Places;
import dev.jobqueue.internal.Uuids;
import dev.jobqueue.internal.handle.ClaimedJob;
import dev.jobqueue.internal.publish.NewJob;
import dev.jobqueue.internal.publish.NewJobs;
import dev.jobqueue.internal.publish.UniqueRules;
import dev.jobqueue.internal.settle.JobLease;
import dev.jobqueue.internal.settle.SettleCalls;
import dev.jobqueue.postgres.TestDatabase;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.dao.ConcurrencyFailureException;

/** Replacing a job while somebody else is about to move it, and has not committed yet. */
class ReplaceIntegrationTests {

    private static final TestDatabase database = Session.database();
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private Session publisher;
    private Session other;

    @BeforeEach
    void open() throws SQLException {
        publisher = Session.open(database);
        other = Session.open(database);
        for (String table :
                List.of("job", "ready", "scheduled", "lease", "worker", "job_history", "dead_letter", "taken_key")) {
            other.execute("DELETE FROM queue." + table);
        }
    }

    @AfterEach
    void close() throws SQLException {
        threads.shutdownNow();
        Places.audit(database);
        publisher.close();
        other.close();
    }

    private static PublishResult publish(Session session, String payload, Job rules) {
        NewJob job = NewJobs.with(Uuids.next(), "test", payload)
                .delay(rules.delay())
                .uniqueKey("key")
                .uniqueRules(UniqueRules.of(rules))
                .build();
        return session.publications
                .publishWithOutcome(List.of(job), false, null)
                .get(0);
    }

    private static final Job PLAIN = Job.of("test", null);
    private static final Job REPLACE = PLAIN.onConflict(OnConflict.REPLACE);

    private static Arguments move(String name, Preparation before, Move move, Outcome committed, Outcome rolledBack) {
        return arguments(name, before, move, committed, rolledBack);
    }

    static Stream<Arguments> moves() {
        Preparation pending = session -> publish(session, "1", PLAIN);
        Preparation scheduled = session -> publish(session, "1", PLAIN.delay(Duration.ofMillis(1)));
        Preparation running = session -> {
            publish(session, "1", PLAIN);
            assertThat(session.claim(1)).hasSize(1);
        };
        Outcome added = Outcome.NEW;
        Outcome replaced = Outcome.REPLACED;
        return Stream.of(
                move("claim", pending, session -> assertThat(session.claim(1)).hasSize(1), added, replaced),
                move("promote", scheduled, ReplaceIntegrationTests::promote, replaced, replaced),
                move("cancel", pending, session -> session.operations.cancel(only(session)), added, replaced),
                move(
                        "cancel one that is scheduled",
                        scheduled,
                        session -> session.operations.cancel(only(session)),
                        added,
                        replaced),
                move("complete", running, session -> session.execute(settled("complete")), added, added),
                move("fail", running, session -> session.execute(settled("fail", "'oops'")), replaced, added),
                move(
                        "fail for good",
                        running,
                        session -> session.execute(settled("fail", "'oops'", "false")),
                        added,
                        added),
                move("snooze", running, session -> session.execute(settled("snooze", "'1 hour'")), replaced, added),
                move("rescue", running, ReplaceIntegrationTests::rescue, replaced, added));
    }

    private static UUID only(Session session) throws SQLException {
        return session.<UUID>column("SELECT id FROM queue.live_job").get(0);
    }

    private static String settled(String function, String... further) {
        return "SELECT queue.%s(id, lease%s) FROM queue.live_job"
                .formatted(function, Stream.of(further).reduce("", (all, next) -> all + ", " + next));
    }

    private static void promote(Session session) throws SQLException {
        session.execute("SELECT queue.promote()");
        assertThat(session.number("SELECT count(*) FROM queue.ready")).isOne();
    }

    private static void rescue(Session session) throws SQLException {
        session.execute("UPDATE queue.worker SET beat_at = beat_at - interval '1 hour'");
        assertThat(session.upkeep
                        .rescue(Duration.ofSeconds(20), Duration.ZERO, 10)
                        .jobs())
                .hasSize(1);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("moves")
    void waitsForWhoeverIsMovingTheJobAndCommits(
            String name, Preparation before, Move move, Outcome committed, Outcome rolledBack) throws Exception {
        assertThat(replaceDuring(before, move, "COMMIT").outcome()).isEqualTo(committed);
        assertTheNewestIsHandled();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("moves")
    void waitsForWhoeverIsMovingTheJobAndRollsBack(
            String name, Preparation before, Move move, Outcome committed, Outcome rolledBack) throws Exception {
        assertThat(replaceDuring(before, move, "ROLLBACK").outcome()).isEqualTo(rolledBack);
        assertTheNewestIsHandled();
    }

    private PublishResult replaceDuring(Preparation before, Move move, String end) throws Exception {
        before.prepare(other);
        await().atMost(PATIENCE)
                .until(() -> other.number("SELECT count(*) FROM queue.live_job WHERE run_at > now()") == 0);
        other.execute("BEGIN");
        move.run(other);
        Future<PublishResult> waiting = CompletableFuture.supplyAsync(() -> publish(publisher, "2", REPLACE), threads);
        await().atMost(PATIENCE)
                .until(() -> other.number("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
                                + " AND datname = current_database()")
                        == 1);
        other.execute(end);
        return waiting.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    /** The newest is claimable once, and handled; one that runs beside it can still be settled. */
    private void assertTheNewestIsHandled() throws SQLException {
        assertThat(other.number("SELECT count(*) FROM queue.live_job WHERE unique_key = 'key'"))
                .isOne();
        other.becomeAnotherWorker();
        List<ClaimedJob> claimed = other.claim(10);
        assertThat(claimed).extracting(ClaimedJob::payload).containsExactly("2");
        assertThat(other.complete(claimed.stream().map(ClaimedJob::lease).toList()))
                .isEmpty();
    }

    static Stream<Arguments> settlements() {
        return Stream.of(
                settlement("complete", "COMPLETED", (session, claim) -> session.complete(List.of(claim))),
                settlement(
                        "fail",
                        "CANCELLED",
                        (session, claim) ->
                                session.settlements.failAll(List.of(new SettleCalls.Failure(claim, "oops", true)))),
                settlement("snooze", "CANCELLED", (session, claim) -> session.settlements.snooze(claim, Duration.ZERO)),
                settlement("release", "CANCELLED", (session, claim) -> session.settlements.release(List.of(claim))));
    }

    private static Arguments settlement(String name, String state, BiConsumer<Session, JobLease> settlement) {
        return arguments(name, state, settlement);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("settlements")
    void makesAWorkerWaitThatSettlesTheJob(String name, String state, BiConsumer<Session, JobLease> settlement)
            throws Exception {
        publish(other, "1", PLAIN);
        JobLease running = other.claim(1).get(0).lease();
        publisher.execute("BEGIN");
        assertThat(publish(publisher, "2", REPLACE).outcome()).isEqualTo(Outcome.NEW);

        Future<?> settling = CompletableFuture.runAsync(() -> settlement.accept(other, running), threads);
        try (Session observer = Session.open(database)) {
            await().atMost(PATIENCE)
                    .until(() -> observer.number("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
                                    + " AND datname = current_database()")
                            == 1);
        }
        publisher.execute("COMMIT");

        settling.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        assertThat(other.<String>column("SELECT state FROM queue.job_history WHERE id = ?", running.id()))
                .containsExactly(state);
        assertTheNewestIsHandled();
    }

    @ParameterizedTest
    @ValueSource(strings = {"REPEATABLE READ", "SERIALIZABLE"})
    void isTriedAgainWhenTheJobMovedAfterTheSnapshot(String isolation) throws SQLException {
        publish(other, "1", PLAIN);
        publisher.execute("BEGIN ISOLATION LEVEL " + isolation);
        publisher.execute("SELECT count(*) FROM queue.live_job");
        assertThat(other.claim(1)).hasSize(1);

        assertThatThrownBy(() -> publish(publisher, "2", REPLACE)).isInstanceOf(ConcurrencyFailureException.class);
        publisher.execute("ROLLBACK");
        assertThat(publish(publisher, "2", REPLACE).outcome()).isEqualTo(Outcome.NEW);
        assertTheNewestIsHandled();
    }

    @Test
    void isUndoneByARollback() throws SQLException {
        publish(other, "1", PLAIN.delay(Duration.ofHours(1)));
        List<String> before = rows();
        publisher.execute("BEGIN");
        publish(publisher, "2", REPLACE.uniqueFor(Duration.ofHours(1)));
        publisher.execute("ROLLBACK");
        assertThat(rows()).isEqualTo(before);

        publisher.execute("BEGIN");
        publisher.execute("SAVEPOINT before");
        publish(publisher, "2", REPLACE.uniqueFor(Duration.ofHours(1)));
        publisher.execute("ROLLBACK TO before");
        assertThat(publish(publisher, "3", PLAIN).outcome()).isEqualTo(Outcome.EXISTING);
        publisher.execute("COMMIT");
        assertThat(rows()).isEqualTo(before);
    }

    @Test
    void mayHappenTwiceInATransaction() throws SQLException {
        publisher.execute("BEGIN");
        PublishResult first = publish(publisher, "1", REPLACE);
        publisher.execute("SAVEPOINT before");
        assertThat(publish(publisher, "3", REPLACE)).isEqualTo(new PublishResult(first.id(), Outcome.REPLACED));
        publisher.execute("ROLLBACK TO before");
        assertThat(publish(publisher, "2", REPLACE)).isEqualTo(new PublishResult(first.id(), Outcome.REPLACED));
        publisher.execute("COMMIT");
        assertTheNewestIsHandled();
    }

    private List<String> rows() throws SQLException {
        return other.column("SELECT j::text FROM queue.job j UNION ALL SELECT s::text FROM queue.scheduled s"
                + " UNION ALL SELECT t::text FROM queue.taken_key t ORDER BY 1");
    }

    /** Brings a job of the key into a state. */
    @FunctionalInterface
    interface Preparation {
        void prepare(Session session) throws SQLException;
    }

    /** Something that moves the only job. */
    @FunctionalInterface
    interface Move {
        void run(Session session) throws SQLException;
    }
}
