package dev.jobqueue.internal.operate;

import static dev.jobqueue.internal.db.RoleSession.denies;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.JobState;
import dev.jobqueue.internal.QueueFixture;
import dev.jobqueue.internal.db.RoleSession;
import dev.jobqueue.internal.schedule.ScheduleCalls;
import dev.jobqueue.operate.AuditAction;
import dev.jobqueue.operate.JobCount;
import dev.jobqueue.operate.JobCursor;
import dev.jobqueue.operate.JobDetails;
import dev.jobqueue.operate.JobFilter;
import dev.jobqueue.operate.JobOperations;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** The roles that look and act, without publishing or working. */
class OperatorRolesIntegrationTests {

    private static final String INSERT =
            "INSERT INTO queue.job (id, type, payload) VALUES (gen_random_uuid(), 'mail', '1')";

    private static final QueueFixture queue = new QueueFixture();

    private static List<String> rolesBefore = List.of();

    private final RoleSession session = new RoleSession(queue);

    @BeforeAll
    static void applyRoles() throws IOException, SQLException {
        rolesBefore = RoleSession.applyRoles(queue);
    }

    @AfterAll
    static void dropRoles() {
        RoleSession.dropRoles(queue, rolesBefore);
    }

    @AfterEach
    void close() {
        session.close();
        queue.reset();
    }

    /** What health and meters of a node read, whatever it does otherwise. */
    private void seesFigures() {
        FigureReader figures = new FigureReader(session.sql);
        assertThat(figures.figures(100, Duration.ofSeconds(20))).isNotEmpty();
        assertThat(figures.nodes(Duration.ofSeconds(20))).isNotEmpty();
        figures.unhandled(Duration.ofSeconds(20));
        figures.database();
    }

    @Nested
    class EveryRole {

        @Test
        void seesTheFiguresOfItsHealthAndMeters() {
            queue.claimNew();
            for (String role : RoleSession.ROLES) {
                session.become(role);
                seesFigures();
            }
        }
    }

    @Nested
    class AViewerRole {

        @Test
        void canLook() {
            UUID id = queue.publish();
            session.become("queue_viewer");

            JobOperations api = QueueFixture.api(session.sql);
            JobFilter pending = JobFilter.of(JobState.PENDING);
            assertThat(api.find(id)).isPresent();
            assertThat(api.find(pending, JobCursor.START, 10).jobs()).hasSize(1);
            assertThat(api.count(pending)).isEqualTo(new JobCount(1, false));
            assertThat(api.why(id)).isNotEmpty();
            assertThat(api.queues()).isNotEmpty();
            assertThat(api.nodes()).isEmpty();
            assertThat(api.unhandledTypes()).hasSize(1);
            assertThat(api.throughput(null, null, Duration.ofHours(1), Duration.ofMinutes(1)))
                    .hasSize(60);
            assertThat(api.throughputByQueue(Duration.ofMinutes(30))).isEmpty();
            assertThat(api.deadGroups(10)).isEmpty();
            assertThat(new AuditCalls(session.sql).find(null, 10)).isEmpty();
            assertThat(new ScheduleCalls(session.sql).find(null)).isEmpty();
            session.read("queue.stats");
            session.read("queue.health");
            session.cannotTouchTables();
        }

        @Test
        void cannotAct() {
            UUID id = queue.publish();
            session.become("queue_viewer");

            for (String call : List.of(
                    "publish('mail', '{}')",
                    "claim(gen_random_uuid())",
                    "cancel('" + id + "')",
                    "retry('" + id + "')",
                    "replay('" + id + "')",
                    "replay_jobs('{\"state\": \"DEAD\"}')",
                    "cancel_jobs('{\"state\": \"PENDING\"}', dry_run => true)",
                    "retry_jobs('{\"state\": \"SCHEDULED\"}')",
                    "reprioritise('" + id + "', 1)",
                    "reprioritise_jobs('{\"state\": \"PENDING\"}', 1)",
                    "reschedule('" + id + "', now())",
                    "reschedule_jobs('{\"state\": \"PENDING\"}', now())",
                    "internal_withdraw_many('{}', '{}')",
                    "internal_walk('{}', NULL, 1)",
                    "purge('" + id + "')",
                    "purge_jobs('{\"state\": \"DEAD\"}')",
                    "pause('default')",
                    "resume('default')",
                    "configure()",
                    "configure_queue('q')",
                    "run_schedule_now('s')",
                    "delete_schedule('s')",
                    "measure()",
                    "record_action('ann', 'pause')",
                    "undo_action(1, 'ann')")) {
                denies(() -> session.call(call));
            }
            denies(() -> session.execute(INSERT));
        }
    }

    @Nested
    class AnOperatorRole {

        @Test
        void canLookAndAct() {
            UUID dead = queue.publishDead("oops");
            UUID purged = queue.publishDead("oops");
            UUID later = queue.publish("run_at => now() + interval '1 hour'");
            session.become("queue_operator");
            OperateCalls operations = new OperateCalls(session.sql);

            operations.replay(dead);
            operations.purge(purged);
            JobOperations api = QueueFixture.api(session.sql);
            assertThat(api.all(JobFilter.of(JobState.DEAD)).replay().jobs()).isZero();
            assertThat(api.all(JobFilter.of(JobState.DEAD)).purge().jobs()).isZero();
            JobFilter scheduled = JobFilter.of(JobState.SCHEDULED);
            assertThat(api.all(scheduled).reprioritise(3).jobs()).isEqualTo(1);
            assertThat(api.all(scheduled)
                            .reschedule(Instant.now().plusSeconds(60))
                            .jobs())
                    .isEqualTo(1);
            assertThat(api.all(scheduled).dryRun().cancel().jobs()).isEqualTo(1);
            assertThat(api.all(scheduled).retry().jobs()).isEqualTo(1);
            api.reprioritise(later, 4);
            api.reschedule(later, Instant.now().plusSeconds(60));
            operations.retry(later);
            assertThat(operations.cancel(later)).isEqualTo(JobState.CANCELLED);
            operations.pause("default");
            operations.resume("default");
            operations.configure(Duration.ofDays(3), null, null, null);
            operations.configureQueue("default", null, 5, 6);
            session.call("set_schedule('s', 'mail', '{}', '0 3 * * *')");
            session.call("pause_schedule('s')");
            session.call("resume_schedule('s')");
            session.call("run_schedule_now('s')");
            session.call("delete_schedule('s')");
            AuditCalls audit = new AuditCalls(session.sql);
            long entry =
                    audit.record(AuditAction.on("ann", "queue.pause", "mail").undo("{}"));
            audit.add(entry, 1);
            audit.undo(entry, "bob");
            assertThat(api.find(dead)).get().returns(JobState.PENDING, JobDetails::state);
            session.read("queue.stats");
            session.cannotTouchTables();
        }

        @Test
        void canNeitherPublishNorWork() {
            session.become("queue_operator");

            denies(() -> session.call("publish('mail', '{}')"));
            denies(() -> session.execute(INSERT));
            denies(() -> session.call("claim(gen_random_uuid())"));
            denies(() -> session.call("heartbeat(gen_random_uuid())"));
        }
    }
}
