package dev.jobqueue.autoconfigure;

import static dev.jobqueue.autoconfigure.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.Job;
import dev.jobqueue.JobContext;
import dev.jobqueue.JobHandler;
import dev.jobqueue.JobPublisher;
import dev.jobqueue.JobState;
import dev.jobqueue.postgres.TestDatabase;
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

class TransactionalHandlerIntegrationTests {

    private static final TestDatabase database = TestDatabase.create();
    private static final JobRows rows = new JobRows(database);
    private static Node node;
    private static Handlers handlers;

    @BeforeAll
    static void start() {
        rows.jdbc().sql("CREATE TABLE written (job uuid, what text)").update();
        rows.jdbc()
                .sql("CREATE TABLE single (number int UNIQUE DEFERRABLE INITIALLY DEFERRED)")
                .update();
        rows.jdbc().sql("CREATE TABLE deadly (job uuid)").update();
        rows.jdbc().sql("CREATE SEQUENCE commits").update();
        rows.jdbc().sql("""
                        CREATE FUNCTION lose_the_first() RETURNS trigger LANGUAGE plpgsql AS $$
                        BEGIN
                            IF nextval('commits') = 1 THEN
                                PERFORM pg_terminate_backend(pg_backend_pid()), pg_sleep(30);
                            END IF;
                            RETURN NULL;
                        END $$
                        """).update();
        rows.jdbc()
                .sql("CREATE CONSTRAINT TRIGGER deadly AFTER INSERT ON deadly DEFERRABLE INITIALLY DEFERRED"
                        + " FOR EACH ROW EXECUTE FUNCTION lose_the_first()")
                .update();
        node = Node.start(database, Handlers.class);
        handlers = node.bean(Handlers.class);
    }

    @AfterAll
    static void stop() {
        node.close();
    }

    private static List<String> written(UUID job) {
        return rows.jdbc()
                .sql("SELECT what FROM written WHERE job = ?")
                .param(job)
                .query(String.class)
                .list();
    }

    @Test
    void commitsItsWritesItsChildrenAndItsCompletionTogether() {
        UUID id = node.publisher().publish("ledger", null);
        await().untilAsserted(
                        () -> assertThat(handlers.waiting.availablePermits()).isOne());
        handlers.waiting.drainPermits();
        assertThat(written(id)).isEmpty();
        assertThat(rows.count(JobState.PENDING, "child") + rows.count(JobState.COMPLETED, "child"))
                .isZero();
        await().untilAsserted(() -> assertThat(rows.live(id, "percent", Integer.class))
                .as("progress is seen while it runs")
                .hasValue(40));

        handlers.gate.release();
        assertThat(rows.result(id)).isEqualTo("\"booked\"");
        assertThat(written(id)).containsExactly("entry");
        rows.awaitCount(JobState.COMPLETED, "child", 2);
    }

    @Test
    void rollsBackWhenItThrowsButKeepsAttemptAndError() {
        UUID id = node.publisher().publish("ledger.throws", null);
        rows.await(JobState.DEAD, id);
        assertThat(written(id)).isEmpty();
        assertThat(rows.attempt(id)).isEqualTo(2);
        assertThat(rows.errors(id))
                .hasSize(2)
                .allSatisfy(error -> assertThat(error).startsWith(Exception.class.getName() + ": no money"));
        assertThat(rows.count(JobState.PENDING, "orphan")).isZero();
    }

    @Test
    void isNotCompletedWhenItsCommitFails() {
        UUID id = node.publisher().publish("ledger.uncommittable", null);
        rows.await(JobState.DEAD, id);
        assertThat(rows.errors(id)).singleElement().asString().contains("single_number_key");
        assertThat(written(id)).isEmpty();
    }

    @Test
    void rollsBackWhenTheLeaseWasLost() {
        UUID id = node.publisher().publish("ledger.lost", null);
        await().untilAsserted(() ->
                assertThat(handlers.lostWaiting.availablePermits()).isOne());
        long lease = rows.live(id, "lease", Long.class).orElseThrow();
        rows.jdbc()
                .sql("SELECT queue.snooze(?, ?, '1 hour')")
                .params(id, lease)
                .query(String.class)
                .single();
        handlers.lostGate.release();
        await().untilAsserted(
                        () -> assertThat(handlers.returned.availablePermits()).isOne());
        rows.await(JobState.COMPLETED, node.publisher().publish("plain", null));
        assertThat(written(id)).isEmpty();
        assertThat(rows.count(JobState.PENDING, "orphan")).isZero();
        assertThat(rows.state(id)).hasValue(JobState.SCHEDULED);
        assertThat(rows.errors(id)).isEmpty();
    }

    @Test
    void commitsItsWritesTogetherWithASnooze() {
        UUID id = node.publisher().publish("ledger.snoozes", null);
        rows.await(JobState.SCHEDULED, id);
        assertThat(written(id)).containsExactly("before the snooze");
        assertThat(rows.live(id, "attempt", Integer.class)).hasValue(0);
    }

    @Test
    void losesNoAttemptWhenTheConnectionIsLostAtItsCommit() {
        UUID id = node.publisher().publish(Job.of("ledger.commit", null).maxAttempts(1));
        rows.await(JobState.COMPLETED, id);
        assertThat(handlers.commits).hasValue(2);
        assertThat(rows.attempt(id)).isOne();
        assertThat(rows.errors(id)).isEmpty();
        assertThat(written(id)).containsExactly("once");
    }

    @Test
    void losesNoAttemptWhenItsConnectionIsLostWhileItRuns() {
        UUID id = node.publisher().publish(Job.of("ledger.connection", null).maxAttempts(1));
        rows.await(JobState.COMPLETED, id);
        assertThat(handlers.connections).hasValue(2);
        assertThat(rows.attempt(id)).isOne();
        assertThat(rows.errors(id)).isEmpty();
        assertThat(written(id)).containsExactly("once");
    }

    @Test
    void losesNoAttemptWhenTheDatabaseCannotDoWhatItAsksFor() {
        UUID id = node.publisher().publish(Job.of("ledger.disk", null).maxAttempts(1));
        rows.await(JobState.COMPLETED, id);
        assertThat(handlers.disks).hasValue(2);
        assertThat(rows.attempt(id)).isOne();
        assertThat(rows.errors(id)).isEmpty();
        assertThat(written(id)).containsExactly("once");
    }

    @Test
    void losesNoAttemptWhenSomebodyHoldsItsJobLocked() throws Exception {
        UUID id = node.publisher().publish(Job.of("ledger.locked", null).maxAttempts(1));
        await().untilAsserted(() ->
                assertThat(handlers.lockedWaiting.availablePermits()).isOne());
        try (Connection stranger = database.connect()) {
            stranger.setAutoCommit(false);
            try (Statement statement = stranger.createStatement()) {
                statement.execute("SELECT queue.cancel('%s')".formatted(id));
            }
            handlers.lockedGate.release();
            await().untilAsserted(() ->
                    assertThat(handlers.rolledBack.availablePermits()).isOne());
            stranger.rollback();
        }
        handlers.lockedGate.release();
        rows.await(JobState.COMPLETED, id);
        assertThat(rows.attempt(id)).isOne();
        assertThat(written(id)).containsExactly("once");
    }

    @Test
    void isRolledBackByItsTimeout() {
        UUID id = node.publisher()
                .publish(Job.of("ledger.sleeps", null)
                        .timeout(Duration.ofMillis(300))
                        .maxAttempts(1));
        rows.await(JobState.DEAD, id);
        assertThat(rows.errors(id).get(0)).contains("timed out");
        await().untilAsserted(() ->
                assertThat(handlers.interrupted.availablePermits()).isOne());
        rows.await(JobState.COMPLETED, node.publisher().publish("plain", null));
        assertThat(written(id)).isEmpty();
    }

    @Test
    void keepsNoStepOfAnAttemptThatWasRolledBack() {
        assertThat(rows.result(node.publisher().publish("ledger.steps", null))).isEqualTo("\"step of attempt 2\"");
    }

    @Test
    void seesInItsFirstRunWhatTheNextOnesSeeOfAStep() {
        rows.await(JobState.COMPLETED, node.publisher().publish("ledger.steps.same", null));
        assertThat(handlers.seenSteps).hasSize(2);
        assertThat(handlers.seenSteps.get(0))
                .isEqualTo(handlers.seenSteps.get(1))
                .contains("100")
                .doesNotContain("E");
    }

    @Test
    void keepsTheStepsOfARunThatSnoozed() {
        assertThat(rows.result(node.publisher().publish("ledger.steps.snoozes", null)))
                .isEqualTo("\"step of run 1\"");
        assertThat(handlers.stepRuns).hasValue(2);
    }

    static class Handlers {

        final Semaphore waiting = new Semaphore(0);
        final Semaphore gate = new Semaphore(0);
        final Semaphore lostWaiting = new Semaphore(0);
        final Semaphore lostGate = new Semaphore(0);
        final Semaphore returned = new Semaphore(0);
        final Semaphore interrupted = new Semaphore(0);
        final Semaphore lockedWaiting = new Semaphore(0);
        final Semaphore lockedGate = new Semaphore(0);
        final Semaphore rolledBack = new Semaphore(0);
        final AtomicInteger commits = new AtomicInteger();
        final AtomicInteger connections = new AtomicInteger();
        final AtomicInteger disks = new AtomicInteger();
        final AtomicInteger stepRuns = new AtomicInteger();
        final List<String> seenSteps = new CopyOnWriteArrayList<>();

        private final JdbcClient jdbc;
        private final JobPublisher jobs;

        Handlers(JdbcClient jdbc, JobPublisher jobs) {
            this.jdbc = jdbc;
            this.jobs = jobs;
        }

        private void write(JobContext job, String what) {
            jdbc.sql("INSERT INTO written VALUES (?, ?)").params(job.id(), what).update();
        }

        @JobHandler(value = "ledger", transactional = true)
        String book(JobContext job) throws InterruptedException {
            write(job, "entry");
            job.publish(Job.of("child", null));
            jobs.publish("child", null);
            job.progress(40, null);
            waiting.release();
            gate.acquire();
            return "booked";
        }

        @JobHandler("child")
        void child() {}

        @JobHandler("plain")
        void plain() {}

        @JobHandler(value = "ledger.throws", transactional = true, maxAttempts = 2, backoff = "1ms")
        void fail(JobContext job) throws Exception {
            write(job, "never");
            job.publish(Job.of("orphan", null));
            throw new Exception("no money");
        }

        @JobHandler(value = "ledger.uncommittable", transactional = true, maxAttempts = 1)
        void violate(JobContext job) {
            write(job, "never");
            jdbc.sql("INSERT INTO single VALUES (1), (1)").update();
        }

        @JobHandler(value = "ledger.lost", transactional = true)
        void lose(JobContext job) throws InterruptedException {
            write(job, "never");
            job.publish(Job.of("orphan", null));
            lostWaiting.release();
            try {
                lostGate.acquire();
            } finally {
                returned.release();
            }
        }

        @JobHandler(value = "ledger.snoozes", transactional = true)
        void snooze(JobContext job) {
            write(job, "before the snooze");
            job.snooze(Duration.ofHours(1));
        }

        @JobHandler(value = "ledger.commit", transactional = true)
        void loseCommit(JobContext job) {
            commits.incrementAndGet();
            write(job, "once");
            jdbc.sql("INSERT INTO deadly VALUES (?)").param(job.id()).update();
        }

        @JobHandler(value = "ledger.connection", transactional = true)
        void loseConnection(JobContext job) {
            write(job, "once");
            if (connections.incrementAndGet() == 1) {
                jdbc.sql("SELECT pg_terminate_backend(pg_backend_pid()), pg_sleep(30)")
                        .query()
                        .listOfRows();
            }
        }

        @JobHandler(value = "ledger.disk", transactional = true)
        void fillDisk(JobContext job) {
            write(job, "once");
            if (disks.incrementAndGet() == 1) {
                jdbc.sql("DO $$ BEGIN RAISE disk_full; END $$").update();
            }
        }

        @JobHandler(value = "ledger.locked", transactional = true)
        void locked(JobContext job) throws InterruptedException {
            write(job, "once");
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                @Override
                public void afterCompletion(int status) {
                    if (status != STATUS_COMMITTED) {
                        rolledBack.release();
                    }
                }
            });
            lockedWaiting.release();
            lockedGate.acquire();
        }

        @JobHandler(value = "ledger.sleeps", transactional = true)
        void sleep(JobContext job) throws InterruptedException {
            write(job, "never");
            try {
                Thread.sleep(60_000);
            } catch (InterruptedException ex) {
                interrupted.release();
                throw ex;
            }
        }

        @JobHandler(value = "ledger.steps", transactional = true, backoff = "1ms")
        String steps(JobContext job) throws Exception {
            String step = job.step("only", String.class, () -> "step of attempt " + job.attempt());
            if (job.attempt() == 1) {
                throw new IllegalStateException("again");
            }
            return step;
        }

        @JobHandler(value = "ledger.steps.same", transactional = true)
        void sameSteps(JobContext job) throws Exception {
            Map<?, ?> step = job.step("only", LinkedHashMap.class, () -> {
                Map<String, Object> result = new LinkedHashMap<>();
                result.put("longer", 1);
                result.put("short", new BigDecimal("1E+2"));
                return new LinkedHashMap<>(result);
            });
            seenSteps.add(step.toString());
            if (seenSteps.size() == 1) {
                job.snooze(Duration.ofMillis(1));
            }
        }

        @JobHandler(value = "ledger.steps.snoozes", transactional = true)
        String stepAndSnooze(JobContext job) throws Exception {
            int run = stepRuns.incrementAndGet();
            String step = job.step("only", String.class, () -> "step of run " + run);
            if (run == 1) {
                job.snooze(Duration.ofMillis(1));
            }
            return step;
        }
    }
}
