package dev.jobqueue.internal.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobqueue.JobState;
import dev.jobqueue.internal.store.JobStore.Failure;
import dev.jobqueue.internal.store.Workers.Node;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

class SecurityIntegrationTests {

    private static final QueueFixture queue = new QueueFixture();
    private static final List<String> ROLES =
            List.of("queue_publisher", "queue_worker", "queue_viewer", "queue_operator");
    private static final String INSUFFICIENT_PRIVILEGE = "42501";

    /** Roles belong to the whole server: those that were there stay. */
    private static List<String> rolesBefore = List.of();

    @BeforeAll
    static void applyRoles() throws IOException, SQLException {
        rolesBefore = queue.list(String.class, "SELECT rolname FROM pg_roles");
        String script;
        try (InputStream in = Sql.class.getResourceAsStream("/dev/jobqueue/schema/optional/roles.sql")) {
            script = new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
        }
        // The part for psql alone: takes the schema from a variable.
        String plain = script.replaceAll("(?s)\\\\if.*?\\\\endif", "");
        try (Connection connection = queue.database.connect();
                Statement statement = connection.createStatement()) {
            statement.execute("SET search_path = queue");
            statement.execute(plain);
            statement.execute(plain);
        }
    }

    @AfterAll
    static void dropRoles() {
        for (String role : ROLES) {
            queue.execute("DROP OWNED BY " + role);
            if (!rolesBefore.contains(role)) {
                queue.execute("DROP ROLE " + role);
            }
        }
    }

    /** A session of its own under a role. */
    private static final class Session {

        private final SingleConnectionDataSource dataSource = queue.connect();
        private final Sql sql = Sql.joining(dataSource, QueueFixture.SCHEMA);
        private final JdbcClient client = JdbcClient.create(dataSource);

        private void execute(String statement) {
            client.sql(statement).update();
        }

        private void call(String call) {
            sql.run(sql.call(call), statement -> {});
        }
    }

    private final Session session = new Session();

    @AfterEach
    void close() {
        session.dataSource.destroy();
        queue.reset();
    }

    private static void denies(ThrowingCallable call) {
        assertThatThrownBy(call)
                .satisfies(thrown -> assertThat(NestedExceptionUtils.getMostSpecificCause(thrown))
                        .isInstanceOfSatisfying(
                                SQLException.class,
                                cause -> assertThat(cause.getSQLState()).isEqualTo(INSUFFICIENT_PRIVILEGE)));
    }

    private static List<String> relations(String kinds) {
        return queue.list(
                String.class,
                "SELECT format('queue.%I', relname) FROM pg_class"
                        + " WHERE relnamespace = 'queue'::regnamespace AND relkind IN (" + kinds + ")");
    }

    private void cannotTouchTables() {
        for (String relation : relations("'v'")) {
            denies(() -> session.execute("SELECT FROM " + relation));
        }
        cannotTouchTablesThemselves();
    }

    private void cannotTouchTablesThemselves() {
        for (String relation : relations("'r', 'p'")) {
            denies(() -> session.execute("SELECT FROM " + relation));
        }
        for (String table : relations("'r', 'p'")) {
            denies(() -> session.execute("INSERT INTO " + table + " DEFAULT VALUES"));
            denies(() -> session.execute("DELETE FROM " + table));
        }
        denies(() -> session.execute("TRUNCATE queue.job"));
        denies(() -> session.execute("UPDATE queue.job SET priority = 1"));
        denies(() -> session.execute("SELECT nextval('queue.lease_number')"));
        denies(() -> session.execute("CREATE TABLE queue.mine ()"));
    }

    @Nested
    class AWorkerRole {

        @Test
        void canPublishAndWork() {
            session.execute("SET ROLE queue_worker");
            JobStore jobs = new JobStore(session.sql);
            UUID worker = UUID.randomUUID();
            Node node = new Node(worker, "host", 1, "1", List.of("default"), List.of("mail"));

            session.call("publish('mail', '{}', timeout => '1 minute')");
            session.call("publish('mail', jsonb '{}', unique_key => 'k')");
            session.call("publish_many(jsonb '[{\"type\": \"mail\", \"payload\": 1}]')");
            new Publications(session.sql).publish(List.of(NewJob.of(UUID.randomUUID(), "mail", "{}")), true);
            session.call("publish('mail', '{}')");
            session.call("publish('mail', '{}')");
            new Workers(session.sql).heartbeat(node, List.of());
            List<Claim> claims = jobs.claim(worker, Map.of("default", 10), null).stream()
                    .map(ClaimedJob::claim)
                    .toList();
            assertThat(claims).hasSize(6);
            jobs.progress(claims.get(0), 50, "half");
            jobs.log(claims.get(0), "INFO", "x");
            jobs.saveStep(claims.get(0), "render", "1");
            jobs.extend(claims.get(0), Duration.ofMinutes(1));
            jobs.complete(claims.get(0), "1");
            jobs.failAll(List.of(new Failure(claims.get(1), "oops", false)));
            session.call("fail('%s', %d, 'oops')"
                    .formatted(claims.get(2).id(), claims.get(2).lease()));
            jobs.snooze(claims.get(3), Duration.ofHours(1));
            jobs.release(List.of(claims.get(4)));
            new Operations(session.sql).cancel(claims.get(5).id());
            jobs.confirmCancel(claims.get(5));
            new Upkeep(session.sql).promote(10);
            new Upkeep(session.sql).rescue(Duration.ofHours(1), Duration.ZERO, 10);
            new Workers(session.sql).unregister(worker);

            assertThat(claims)
                    .extracting(claim -> queue.stateOf(claim.id()))
                    .containsExactly(
                            JobState.COMPLETED,
                            JobState.DEAD,
                            JobState.SCHEDULED,
                            JobState.SCHEDULED,
                            JobState.PENDING,
                            JobState.CANCELLED);
        }

        @Test
        void canNeitherReadNorWriteTheTables() {
            session.execute("SET ROLE queue_worker");
            cannotTouchTables();
        }

        @Test
        void cannotDoWhatOperatorsDo() {
            session.execute("SET ROLE queue_worker");

            for (String call : List.of(
                    "pause('default')",
                    "resume('default')",
                    "configure()",
                    "configure_queue('q')",
                    "purge_all()",
                    "replay_all()",
                    "internal_forget('{}')",
                    "internal_make_partitions()",
                    "internal_cancel('{}')")) {
                denies(() -> session.call(call));
            }
        }
    }

    @Nested
    class APublisherRole {

        @Test
        void canPublish() {
            session.execute("SET ROLE queue_publisher");

            session.call("publish('mail', '{}')");
            session.call("publish_many(jsonb '[{\"type\": \"mail\", \"payload\": 1}]')");
            session.call("uuidv7()");

            assertThat(queue.one(Long.class, "SELECT count(*) FROM queue.job")).isEqualTo(2);
        }

        @Test
        void cannotWork() {
            Claim claim = queue.claimNew();
            session.execute("SET ROLE queue_publisher");
            String pair = "'%s', %d".formatted(claim.id(), claim.lease());

            for (String call : List.of(
                    "claim(gen_random_uuid())",
                    "complete(" + pair + ")",
                    "fail(" + pair + ", 'x')",
                    "cancel('" + claim.id() + "')",
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
            session.execute("SET ROLE queue_publisher");
            cannotTouchTables();
        }
    }

    /** What health and meters of a node read, whatever it does otherwise. */
    private void seesFigures() {
        Observations observations = new Observations(session.sql);
        assertThat(observations.figures(100, Duration.ofSeconds(20))).isNotEmpty();
        assertThat(observations.nodes(Duration.ofSeconds(20))).isNotEmpty();
        observations.unhandled(Duration.ofSeconds(20));
        observations.database();
    }

    @Nested
    class EveryRole {

        @Test
        void seesTheFiguresOfItsHealthAndMeters() {
            queue.claimNew();
            for (String role : ROLES) {
                session.execute("SET ROLE " + role);
                seesFigures();
            }
        }
    }

    @Nested
    class AViewerRole {

        @Test
        void canLook() {
            UUID id = queue.publish();
            session.execute("SET ROLE queue_viewer");

            JobFinder finder = new JobFinder(session.sql);
            assertThat(finder.show(id, true)).isNotNull();
            assertThat(finder.find(new JobFinder.Filter(JobState.PENDING, null, null), null, 10)
                            .jobs())
                    .hasSize(1);
            assertThat(finder.why(id, Duration.ofSeconds(20))).isNotEmpty();
            assertThat(finder.countDead(null, null, null, null, true)).isZero();
            assertThat(new Operations(session.sql).find(id)).isPresent();
            assertThat(new Schedules(session.sql).find(null)).isEmpty();
            session.execute("SELECT FROM queue.stats");
            session.execute("SELECT FROM queue.health");
            cannotTouchTablesThemselves();
        }

        @Test
        void cannotAct() {
            UUID id = queue.publish();
            session.execute("SET ROLE queue_viewer");

            for (String call : List.of(
                    "publish('mail', '{}')",
                    "claim(gen_random_uuid())",
                    "cancel('" + id + "')",
                    "retry('" + id + "')",
                    "replay('" + id + "')",
                    "replay_all()",
                    "purge('" + id + "')",
                    "purge_all()",
                    "pause('default')",
                    "resume('default')",
                    "configure()",
                    "configure_queue('q')",
                    "run_schedule_now('s')",
                    "delete_schedule('s')")) {
                denies(() -> session.call(call));
            }
        }
    }

    @Nested
    class AnOperatorRole {

        @Test
        void canLookAndAct() {
            UUID dead = queue.publishDead("oops");
            UUID purged = queue.publishDead("oops");
            UUID later = queue.publish("run_at => now() + interval '1 hour'");
            session.execute("SET ROLE queue_operator");
            Operations operations = new Operations(session.sql);

            operations.replay(dead);
            operations.purge(purged);
            assertThat(operations.replayAll(null, null, null, null)).isZero();
            assertThat(operations.purgeAll(null, null, null, null)).isZero();
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
            assertThat(new JobFinder(session.sql).show(dead, true)).contains("PENDING");
            session.execute("SELECT FROM queue.stats");
            cannotTouchTablesThemselves();
        }

        @Test
        void canNeitherPublishNorWork() {
            session.execute("SET ROLE queue_operator");

            denies(() -> session.call("publish('mail', '{}')"));
            denies(() -> session.call("claim(gen_random_uuid())"));
            denies(() -> session.call("heartbeat(gen_random_uuid())"));
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
            assertThat(
                            queue.list(
                                    String.class,
                                    "SELECT oid::regprocedure::text FROM pg_proc WHERE pronamespace = 'queue'::regnamespace"
                                            + " AND NOT (prosecdef AND 'search_path=queue, pg_temp' = ANY (proconfig)) IS TRUE"))
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
                session.execute("SET ROLE queue_worker");
                session.call("publish('mail', '{}')");
                session.call("claim(pg_catalog.gen_random_uuid())");
                Map<String, Object> job = queue.row("SELECT id, lease FROM queue.job WHERE state = 'RUNNING'");
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
