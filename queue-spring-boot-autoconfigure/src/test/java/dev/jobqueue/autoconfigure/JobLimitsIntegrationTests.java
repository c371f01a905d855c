package dev.jobqueue.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.jobqueue.AtLimit;
import dev.jobqueue.InvalidJobException;
import dev.jobqueue.Job;
import dev.jobqueue.JobState;
import dev.jobqueue.LimitDefinition;
import dev.jobqueue.OnDead;
import dev.jobqueue.Rate;
import dev.jobqueue.operate.AuditAction;
import dev.jobqueue.operate.JobAudit;
import dev.jobqueue.operate.JobCursor;
import dev.jobqueue.operate.JobLimits;
import dev.jobqueue.operate.JobOperations;
import dev.jobqueue.operate.LaneFigures;
import dev.jobqueue.operate.LanePage;
import dev.jobqueue.operate.LimitFigures;
import dev.jobqueue.postgres.TestDatabase;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** Limits at run time, on a node that works none of the queues. */
class JobLimitsIntegrationTests {

    private static final TestDatabase database = TestDatabase.create();
    private static final JobRows rows = new JobRows(database);
    private static Node node;
    private static JobLimits limits;

    @BeforeAll
    static void start() {
        node = Node.start(database, Object.class, "queue.worker.enabled=false");
        limits = node.bean(JobOperations.class).limits();
    }

    @AfterAll
    static void stop() {
        node.close();
    }

    @BeforeEach
    void clear() {
        for (String table : List.of(
                "job",
                "ready",
                "waiting",
                "turn",
                "hung",
                "mark",
                "held",
                "closing",
                "lease",
                "dead_letter",
                "job_limit",
                "limit_use",
                "audit")) {
            rows.jdbc().sql("DELETE FROM queue." + table).update();
        }
    }

    private static UUID publish(String limit, String key) {
        return node.publisher().publish(Job.of("call", Map.of("key", key)).limit(limit, key));
    }

    private static int claim() {
        return rows.jdbc()
                .sql("SELECT id FROM queue.claim('018f0000-0000-7000-8000-000000000026', '{default}', '{100}')")
                .query(UUID.class)
                .list()
                .size();
    }

    private static void die(UUID id) {
        rows.jdbc()
                .sql("SELECT queue.fail(j.id, j.lease, 'broken', false) FROM queue.live_job j WHERE j.id = ?")
                .param(id)
                .query()
                .singleRow();
    }

    @Nested
    class Limits {

        @Test
        void areFoundAsTheyWereSet() {
            LimitDefinition all = LimitDefinition.ofRunning("all", 2)
                    .rate(Rate.of("100/10s"))
                    .burst(7)
                    .atLimit(AtLimit.CANCEL_RUNNING);
            LimitDefinition order = LimitDefinition.ofFifo("order").onDead(OnDead.CONTINUE);
            LimitDefinition runs = LimitDefinition.ofFifo("runs").running(100);
            LimitDefinition turns =
                    LimitDefinition.ofFairShare("turns").weight("big", 3).weight("*", 1);
            limits.set(all);
            limits.set(order);
            limits.set(runs);
            limits.set(turns);

            assertThat(limits.list()).extracting(LimitFigures::definition).containsExactly(all, order, runs, turns);
            assertThat(limits.list()).extracting(LimitFigures::owner).containsOnlyNulls();
            assertThat(limits.find("order"))
                    .hasValueSatisfying(found -> assertThat(found.definition()).isEqualTo(order));
            assertThat(limits.find("none")).isEmpty();
        }

        @Test
        void tellTheBurstThatARateHasByItself() {
            limits.set(LimitDefinition.ofRate("paced", Rate.of("100/s")));

            assertThat(limits.list().get(0).definition().burst()).isEqualTo(10);
        }

        @Test
        void changeForJobsThatWait() {
            limits.set(LimitDefinition.ofRunning("crm", 1));
            for (int i = 0; i < 4; i++) {
                publish("crm", "a");
            }
            assertThat(claim()).isEqualTo(1);
            assertThat(limits.find("crm")).hasValueSatisfying(found -> {
                assertThat(found.held()).isEqualTo(1);
                assertThat(found.waiting()).isEqualTo(3);
            });

            limits.set(LimitDefinition.ofRunning("crm", 2));
            assertThat(claim()).isEqualTo(1);
            assertThat(limits.remove("crm")).isTrue();
            assertThat(limits.remove("crm")).isFalse();
            assertThat(claim()).isEqualTo(2);
        }

        @Test
        void areGivenToTypesAndQueues() {
            limits.set(LimitDefinition.ofRunning("crm", 1));
            limits.useForType("call", Map.of("crm", "key"));
            limits.useForQueue("bulk", Map.of("crm", ""));

            assertThat(limits.list().get(0).uses())
                    .containsExactlyInAnyOrder(
                            new LimitFigures.Use("call", null, "key", null),
                            new LimitFigures.Use(null, "bulk", null, null));
            UUID job = node.publisher().publish(Job.of("call", Map.of("key", "a")));
            assertThat(rows.state(job)).hasValue(JobState.WAITING);

            limits.useForType("call", Map.of());
            assertThat(limits.list().get(0).uses()).hasSize(1);
        }

        @Test
        void areSetTogetherWithTheirEntryInTheAudit() {
            JobAudit audit = node.bean(JobAudit.class);
            audit.together(() -> {
                limits.set(LimitDefinition.ofRunning("crm", 1));
                return audit.record(AuditAction.on("ann", "limit.set", "crm"));
            });
            assertThatExceptionOfType(IllegalStateException.class)
                    .isThrownBy(() -> audit.together(() -> {
                        limits.remove("crm");
                        audit.record(AuditAction.on("ann", "limit.remove", "crm"));
                        throw new IllegalStateException("lost");
                    }));

            assertThat(limits.find("crm")).isPresent();
            assertThat(audit.find(null, 10))
                    .singleElement()
                    .satisfies(entry -> assertThat(entry.action()).isEqualTo("limit.set"));
        }

        @Test
        void areRefusedWithTheReason() {
            assertThatExceptionOfType(InvalidJobException.class)
                    .isThrownBy(() -> limits.useForType("call", Map.of("nobody", "")))
                    .withMessageContaining("limits is 'nobody': must be a limit that was set");
            assertThatExceptionOfType(InvalidJobException.class)
                    .isThrownBy(() -> LimitDefinition.ofRunning("crm", 0))
                    .withMessage("running is '0': must be at least 1");
            assertThatExceptionOfType(InvalidJobException.class)
                    .isThrownBy(() -> limits.closeLane("nobody", "a", Instant.now()))
                    .withMessageContaining("nobody");
        }
    }

    @Nested
    class Lanes {

        @Test
        void comeInPages() {
            limits.set(LimitDefinition.ofRunning("crm", 1));
            for (int i = 0; i < 25; i++) {
                publish("crm", "k" + i);
                publish("crm", "k" + i);
            }
            assertThat(claim()).isEqualTo(25);

            List<String> keys = new ArrayList<>();
            JobCursor after = JobCursor.START;
            while (after != null) {
                LanePage page = limits.lanes("crm", after, 10);
                page.lanes().forEach(lane -> keys.add(lane.key()));
                assertThat(page.lanes()).allSatisfy(lane -> {
                    assertThat(lane.held()).isEqualTo(1);
                    assertThat(lane.running()).isEqualTo(1);
                    assertThat(lane.waiting()).isEqualTo(1);
                    assertThat(lane.oldest()).isNotNull();
                    assertThat(lane.blockedBy()).isNull();
                });
                after = page.next();
            }
            assertThat(keys).hasSize(25).doesNotHaveDuplicates();
            assertThat(limits.find("crm"))
                    .hasValueSatisfying(found -> assertThat(found.waiting()).isEqualTo(25));
        }

        @Test
        void areFoundBehindADeadLetterAndReleased() {
            limits.set(LimitDefinition.ofFifo("order"));
            UUID dead = publish("order", "a");
            UUID next = publish("order", "a");
            publish("order", "b");
            assertThat(claim()).isEqualTo(2);
            assertThat(limits.blockedLanes("order", JobCursor.START, 10).lanes())
                    .isEmpty();
            die(dead);
            assertThat(claim()).isZero();

            assertThat(limits.lanes("order", JobCursor.START, 10).lanes()).hasSize(2);
            assertThat(limits.blockedLanes("order", JobCursor.START, 10).lanes())
                    .singleElement()
                    .satisfies(lane -> {
                        assertThat(lane.key()).isEqualTo("a");
                        assertThat(lane.blockedBy()).isEqualTo(dead);
                        assertThat(lane.waiting()).isEqualTo(1);
                    });
            assertThat(limits.find("order"))
                    .hasValueSatisfying(found -> assertThat(found.blocked()).isEqualTo(1));

            assertThat(limits.releaseLane("order", "a")).isTrue();
            assertThat(limits.releaseLane("order", "a")).isFalse();
            assertThat(claim()).isEqualTo(1);
            assertThat(rows.state(next)).hasValue(JobState.RUNNING);
            assertThat(limits.find("order"))
                    .hasValueSatisfying(found -> assertThat(found.blocked()).isZero());
        }

        @Test
        void openWhenTheyShall() {
            limits.set(LimitDefinition.ofRunning("crm", 5));
            publish("crm", "a");
            publish("crm", "b");
            Instant until = Instant.now().plus(Duration.ofHours(1));
            limits.closeLane("crm", "a", until);

            assertThat(claim()).isEqualTo(1);
            assertThat(limits.lanes("crm", JobCursor.START, 10).lanes())
                    .filteredOn(lane -> lane.key().equals("a"))
                    .singleElement()
                    .extracting(LaneFigures::opensAt)
                    .satisfies(opensAt ->
                            assertThat(Duration.between(opensAt, until).abs()).isLessThan(Duration.ofSeconds(1)));
            limits.closeLane("crm", "a", Instant.EPOCH);
            assertThat(claim()).isEqualTo(1);
        }
    }
}
