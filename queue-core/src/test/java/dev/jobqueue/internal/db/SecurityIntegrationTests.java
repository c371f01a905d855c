package dev.jobqueue.internal.db;

import static dev.jobqueue.internal.db.RoleSession.denies;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobqueue.JobQueueException;
import dev.jobqueue.JobState;
import dev.jobqueue.MissingRightException;
import dev.jobqueue.RetryPolicy;
import dev.jobqueue.internal.QueueFixture;
import dev.jobqueue.internal.claim.ClaimCalls;
import dev.jobqueue.internal.handle.ClaimedJob;
import dev.jobqueue.internal.handle.ReportCalls;
import dev.jobqueue.internal.maintain.MaintainCalls;
import dev.jobqueue.internal.migrate.FunctionRights;
import dev.jobqueue.internal.node.NodeCalls;
import dev.jobqueue.internal.node.NodeCalls.Registration;
import dev.jobqueue.internal.operate.OperateCalls;
import dev.jobqueue.internal.publish.NewJobs;
import dev.jobqueue.internal.publish.PublishCalls;
import dev.jobqueue.internal.settle.JobLease;
import dev.jobqueue.internal.settle.SettleCalls;
import dev.jobqueue.internal.settle.SettleCalls.Failure;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class SecurityIntegrationTests {

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

    @Nested
    class AWorkerRole {

        @Test
        void canPublishAndWork() {
            session.become("queue_worker");
            ClaimCalls taking = new ClaimCalls(session.sql);
            ReportCalls reports = new ReportCalls(session.sql);
            SettleCalls settlements = new SettleCalls(session.sql);
            UUID worker = UUID.randomUUID();
            Registration node = new Registration(worker, "host", 1, "1", List.of("default"), List.of("mail"));

            session.call("publish('mail', '{}', timeout => '1 minute')");
            session.call("publish('mail', jsonb '{}', unique_key => 'k')");
            session.call("publish_many(jsonb '[{\"type\": \"mail\", \"payload\": 1}]')");
            for (boolean notifies : List.of(true, false)) {
                new PublishCalls(session.sql).publish(List.of(NewJobs.of(UUID.randomUUID(), "mail", "{}")), notifies);
            }
            session.call("publish('mail', '{}')");
            new NodeCalls(session.sql).heartbeat(node, List.of());
            List<JobLease> claims = taking.claim(worker, Map.of("default", 10), null).stream()
                    .map(ClaimedJob::lease)
                    .toList();
            assertThat(claims).hasSize(6);
            reports.progress(claims.get(0), 50, "half");
            reports.log(claims.get(0), "INFO", "x");
            reports.saveStep(claims.get(0), "render", "1");
            reports.extend(claims.get(0), Duration.ofMinutes(1));
            settlements.complete(claims.get(0), "1");
            settlements.failAll(List.of(new Failure(claims.get(1), "oops", false)));
            session.call("fail('%s', %d, 'oops')"
                    .formatted(claims.get(2).id(), claims.get(2).number()));
            settlements.snooze(claims.get(3), Duration.ofHours(1));
            settlements.release(List.of(claims.get(4)));
            new OperateCalls(session.sql).cancel(claims.get(5).id());
            settlements.confirmCancel(claims.get(5));
            new MaintainCalls(session.sql).promote(10);
            new MaintainCalls(session.sql).measure();
            new MaintainCalls(session.sql).rescue(Duration.ofHours(1), Duration.ZERO, 10);
            new NodeCalls(session.sql).unregister(worker);

            assertThat(claims)
                    .extracting(lease -> queue.stateOf(lease.id()))
                    .containsExactly(
                            JobState.COMPLETED,
                            JobState.DEAD,
                            JobState.SCHEDULED,
                            JobState.SCHEDULED,
                            JobState.PENDING,
                            JobState.CANCELLED);
        }

        @Test
        void mayCallAllThatANodeLooksForAtStart() {
            Set<String> needed = new TreeSet<>(FunctionRights.OF_WORKERS);
            needed.addAll(FunctionRights.OF_PUBLISHERS);

            assertThat(queue.list(
                            String.class,
                            "SELECT DISTINCT proname::text FROM pg_proc WHERE pronamespace = 'queue'::regnamespace"
                                    + " AND has_function_privilege('queue_worker', oid, 'EXECUTE')"))
                    .containsAll(needed);
        }

        @Test
        void canStoreWhatThePropertiesOfItsNodeSay() {
            session.become("queue_worker");
            OperateCalls operations = new OperateCalls(session.sql, "shop");

            operations.configure(Duration.ofDays(3), null, 5, null);
            operations.configureQueue("mail", Duration.ofDays(1), null, 6);
            operations.setRetryPolicy("mail", RetryPolicy.DEFAULT, null);
            session.call("set_schedule('s', 'mail', '{}', '0 3 * * *')");

            assertThat(queue.one(String.class, "SELECT retention::text FROM queue.queue WHERE name = 'mail'"))
                    .isEqualTo("24:00:00");
        }

        @Test
        void canNeitherReadNorWriteTheTables() {
            session.become("queue_worker");
            session.cannotReadViews();
            session.cannotTouchTables();
        }

        @Test
        void cannotDoWhatOperatorsDo() {
            session.become("queue_worker");

            for (String call : List.of(
                    "pause('default')",
                    "resume('default')",
                    "purge_jobs('{\"state\": \"DEAD\"}')",
                    "replay_jobs('{\"state\": \"DEAD\"}')",
                    "cancel_jobs('{\"state\": \"PENDING\"}')",
                    "reprioritise(gen_random_uuid(), 1)",
                    "reschedule(gen_random_uuid(), now())",
                    "record_action('ann', 'pause')",
                    "internal_forget('{}')",
                    "internal_make_partitions()",
                    "internal_cancel('{}', '{}')")) {
                denies(() -> session.call(call));
            }
        }
    }

    @Nested
    class APublisherRole {

        @Test
        void canPublish() {
            session.become("queue_publisher");

            session.call("publish('mail', '{}')");
            session.call("publish_many(jsonb '[{\"type\": \"mail\", \"payload\": 1}]')");
            session.call("uuidv7()");
            for (boolean notifies : List.of(true, false)) {
                new PublishCalls(session.sql).publish(List.of(NewJobs.of(UUID.randomUUID(), "mail", "{}")), notifies);
            }

            assertThat(queue.one(Long.class, "SELECT count(*) FROM queue.live_job"))
                    .isEqualTo(4);
        }

        @Test
        void canPublishManyFromJava() {
            session.become("queue_publisher");
            PublishCalls publications = new PublishCalls(session.sql);

            for (int count : List.of(2, 250)) {
                publications.publish(
                        IntStream.range(0, count)
                                .mapToObj(i -> NewJobs.of(UUID.randomUUID(), "mail", "{}"))
                                .toList(),
                        false);
            }

            assertThat(queue.one(Long.class, "SELECT count(*) FROM queue.live_job"))
                    .isEqualTo(252);
        }

        @Test
        void cannotWork() {
            JobLease lease = queue.claimNew();
            session.become("queue_publisher");
            String pair = "'%s', %d".formatted(lease.id(), lease.number());

            for (String call : List.of(
                    "claim(gen_random_uuid())",
                    "complete(" + pair + ")",
                    "fail(" + pair + ", 'x')",
                    "cancel('" + lease.id() + "')",
                    "cancel(" + pair + ")",
                    "heartbeat(gen_random_uuid())",
                    "rescue()",
                    "promote()",
                    "release('{}', '{}')",
                    "snooze(" + pair + ", '1 hour')")) {
                denies(() -> session.call(call));
            }
        }

        @Test
        void canNeitherReadNorWriteTheTables() {
            session.become("queue_publisher");
            session.cannotReadViews();
            session.cannotTouchTables();
        }
    }

    @Nested
    class AMissingRight {

        @Test
        void isToldWithTheRoleToGrant() {
            session.become("queue_publisher");
            OperateCalls operations = new OperateCalls(session.sql);

            assertThatThrownBy(() -> operations.cancel(UUID.randomUUID()))
                    .isInstanceOf(MissingRightException.class)
                    .isInstanceOf(JobQueueException.class)
                    .hasMessageContaining("grant it queue_operator")
                    .hasMessageContaining("permission denied for function cancel");
        }
    }

    @Nested
    class TheCatalog {

        private List<String> functions(String condition) {
            return queue.list(
                    String.class,
                    "SELECT p.oid::regprocedure::text FROM pg_proc p WHERE p.pronamespace = 'queue'::regnamespace AND "
                            + condition);
        }

        @Test
        void grantsEveryPublicFunctionToARoleAndNoInternalOneToAny() {
            String granted = "EXISTS (SELECT FROM aclexplode(p.proacl) AS a JOIN pg_roles r ON r.oid = a.grantee"
                    + " WHERE r.rolname LIKE 'queue\\_%')";
            assertThat(functions("p.proname NOT LIKE 'internal\\_%' AND NOT " + granted))
                    .as("public functions that no role may call: name them in roles.sql")
                    .isEmpty();
            assertThat(functions("p.proname LIKE 'internal\\_%' AND " + granted))
                    .as("internal functions that a role may call")
                    .isEmpty();
            assertThat(functions("p.proname LIKE 'internal\\_%'")).hasSizeGreaterThan(10);
        }

        @Test
        void letsEveryRoleThatAMissingRightNamesCallTheFunction() {
            List<String> functions = queue.list(
                    String.class,
                    "SELECT DISTINCT proname::text FROM pg_proc WHERE pronamespace = 'queue'::regnamespace"
                            + " AND proname NOT LIKE 'internal\\_%'");
            assertThat(functions)
                    .hasSizeGreaterThan(30)
                    .allSatisfy(function -> assertThat(queue.list(
                                    Boolean.class,
                                    ("SELECT has_function_privilege('%s', oid, 'EXECUTE') FROM pg_proc WHERE"
                                                    + " proname = '%s' AND pronamespace = 'queue'::regnamespace")
                                            .formatted(SqlErrors.role(function), function)))
                            .containsOnly(true));
        }

        @Test
        void grantsNothingToPublic() {
            assertThat(queue.list(
                            String.class,
                            "SELECT p.oid::regprocedure::text FROM pg_proc p,"
                                    + " aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) AS a"
                                    + " WHERE p.pronamespace = 'queue'::regnamespace AND a.grantee = 0"))
                    .isEmpty();
            assertThat(queue.list(
                            String.class,
                            "SELECT c.oid::regclass::text FROM pg_class c, aclexplode(coalesce(c.relacl, acldefault("
                                    + "(CASE c.relkind WHEN 'S' THEN 's' ELSE 'r' END)::\"char\", c.relowner))) AS a"
                                    + " WHERE c.relnamespace = 'queue'::regnamespace AND a.grantee = 0"))
                    .isEmpty();
            assertThat(queue.list(
                            String.class,
                            "SELECT n.nspname::text FROM pg_namespace n,"
                                    + " aclexplode(coalesce(n.nspacl, acldefault('n', n.nspowner))) AS a"
                                    + " WHERE n.nspname = 'queue' AND a.grantee = 0"))
                    .isEmpty();
        }

        @Test
        void pinsTheSearchPathOfEveryFunction() {
            assertThat(queue.list(
                            String.class,
                            "SELECT oid::regprocedure::text FROM pg_proc WHERE pronamespace ="
                                    + " 'queue'::regnamespace"
                                    + " AND NOT (prosecdef AND 'search_path=queue, pg_temp' = ANY"
                                    + " (proconfig)) IS TRUE"))
                    .isEmpty();
            assertThat(queue.one(Long.class, "SELECT count(*) FROM pg_proc WHERE pronamespace = 'queue'::regnamespace"))
                    .isGreaterThan(40);
        }
    }

    @Nested
    class HostileObjects {

        @Test
        void ofTheCallerAreNotPickedUp() {
            for (String table : queue.tables()) {
                session.execute("CREATE TEMP TABLE %1$s (LIKE queue.%1$s)".formatted(table));
            }
            session.execute("CREATE FUNCTION public.clock_timestamp() RETURNS timestamptz LANGUAGE plpgsql AS"
                    + " $$ BEGIN RAISE EXCEPTION 'hostile'; END $$");
            session.execute("CREATE FUNCTION public.internal_invalid(text, text, text) RETURNS void LANGUAGE plpgsql AS"
                    + " $$ BEGIN RAISE EXCEPTION 'hostile'; END $$");
            session.execute("SET search_path = pg_temp, public, pg_catalog");
            session.execute("GRANT USAGE ON SCHEMA public TO queue_worker");
            try {
                session.become("queue_worker");
                session.call("publish('mail', '{}')");
                session.call("claim(pg_catalog.gen_random_uuid())");
                Map<String, Object> job = queue.row("SELECT id, lease FROM queue.live_job WHERE state = 'RUNNING'");
                String pair = "'%s', %s".formatted(job.get("id"), job.get("lease"));
                session.call("progress(" + pair + ", 1)");
                session.call("complete(" + pair + ")");

                assertThat(queue.stateOf((UUID) job.get("id"))).isEqualTo(JobState.COMPLETED);
                session.execute("RESET ROLE");
                for (String table : queue.tables()) {
                    assertThat(session.client
                                    .sql("SELECT count(*) FROM pg_temp." + table)
                                    .query(Long.class)
                                    .single())
                            .isZero();
                }
            } finally {
                queue.execute("DROP FUNCTION public.clock_timestamp()");
                queue.execute("DROP FUNCTION public.internal_invalid(text, text, text)");
            }
        }
    }
}
