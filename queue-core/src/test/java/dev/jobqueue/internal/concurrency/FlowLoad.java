package dev.jobqueue.internal.concurrency;

import dev.jobqueue.postgres.TestDatabase;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Sessions that publish batches and flows, settle their jobs and resolve, while others kill them. */
final class FlowLoad {

    static final String DIAMOND = """
            [{"name": "a", "job": {"type": "a", "payload": {}}},
             {"name": "b", "job": {"type": "b", "payload": {}}, "after": ["a"]},
             {"name": "c", "job": {"type": "c", "payload": {}}, "after": ["a"]},
             {"name": "d", "job": {"type": "d", "payload": {}}, "after": ["b", "c"]}]""";

    /** Ends its own session at the statement that the session says. */
    static final String KILLER = """
            CREATE FUNCTION public.die() RETURNS trigger LANGUAGE plpgsql AS $$
            DECLARE
                lives int := coalesce(nullif(current_setting('test.lives', true), ''), '0');
            BEGIN
                IF lives = 1 THEN
                    PERFORM pg_terminate_backend(pg_backend_pid());
                END IF;
                PERFORM set_config('test.lives', (lives - 1)::text, false);
                RETURN NULL;
            END $$""";

    static final String KILL_AT_EACH_STATEMENT = """
            DO $$
            DECLARE
                name regclass;
            BEGIN
                FOR name IN SELECT c.oid FROM pg_class c WHERE relnamespace = 'queue'::regnamespace AND relkind = 'r'
                    AND NOT relispartition
                LOOP
                    EXECUTE format('CREATE TRIGGER die AFTER INSERT OR UPDATE OR DELETE ON %s'
                        ' FOR EACH STATEMENT EXECUTE FUNCTION public.die()', name);
                END LOOP;
            END $$""";

    /** Resolves for a worker that has five slots free, and returns the jobs that it got as id/lease. */
    private static final String RESOLVE_AND_TAKE = """
            SELECT c.id || '/' || c.lease FROM queue.resolve(?, true, ?, '{a,b,c,d}', '{default}', '{5}', ARRAY[?]) AS r
            LEFT JOIN LATERAL (SELECT * FROM queue.confirm(?, r.leased) WHERE r.leased <> '{}' OFFSET 0) AS c ON true""";

    static final String EVERYTHING = """
            SELECT 'flow ' || f::text FROM queue.flow f UNION ALL SELECT 'step ' || s::text FROM queue.flow_step s
            UNION ALL SELECT 'tick ' || t::text FROM queue.flow_tick t
            UNION ALL SELECT 'job ' || j::text FROM queue.job j
            UNION ALL SELECT 'lease ' || l::text FROM queue.lease l
            UNION ALL SELECT 'ready ' || r::text FROM queue.ready r ORDER BY 1""";

    /** What every finished flow must have been told, and nothing else. */
    static final String WRONG_CALLBACKS = """
            WITH told AS (
                SELECT headers ->> 'flow' AS flow, type, (headers ->> 'round')::int AS round FROM (
                    SELECT headers, type FROM queue.job UNION ALL SELECT headers, type FROM queue.job_history
                    UNION ALL SELECT headers, type FROM queue.dead_letter) AS j
                WHERE headers ->> 'flow' IS NOT NULL)
            SELECT format('%s %s was told %s %s times, round %s', f.kind, f.id, t.type, t.n, t.round)
            FROM queue.flow f JOIN (SELECT flow, type, CASE type WHEN 'finish' THEN round END AS round, count(*) AS n
                FROM told GROUP BY 1, 2, 3) AS t ON t.flow = f.id::text
            WHERE t.n <> 1 OR t.round > f.round
            UNION ALL
            SELECT format('%s %s was not told that round %s is over', f.kind, f.id, r)
            FROM queue.flow f CROSS JOIN LATERAL generate_series(1, f.round) AS r
            WHERE f.on_finish IS NOT NULL AND f.finished_at IS NOT NULL AND NOT EXISTS (
                SELECT FROM told t WHERE t.flow = f.id::text AND t.type = 'finish' AND t.round = r)
            UNION ALL
            SELECT format('%s %s was not told of its %s', f.kind, f.id, e.event)
            FROM queue.flow f CROSS JOIN (VALUES ('death'), ('success')) AS e (event)
            WHERE f.on_finish IS NOT NULL AND f.finished_at IS NOT NULL
                AND CASE e.event WHEN 'death' THEN f.dead > 0 ELSE f.state = 'SUCCEEDED' END
                AND NOT EXISTS (SELECT FROM told t WHERE t.flow = f.id::text AND t.type = e.event)""";

    private final TestDatabase database;
    private final AtomicInteger flows = new AtomicInteger();
    private final AtomicInteger kills = new AtomicInteger();
    private volatile long until;

    FlowLoad(TestDatabase database) {
        this.database = database;
    }

    int flows() {
        return flows.get();
    }

    int kills() {
        return kills.get();
    }

    void run(long millis) throws Exception {
        until = System.nanoTime() + millis * 1_000_000;
        Race.run(database, 8, (session, number) -> {
            if (number == 0) {
                kill(session);
            } else {
                work(new Random(number), number);
            }
            return number;
        });
    }

    /** Seals what a killed publisher left open, runs all that is left, and resolves. */
    void finish(Session session) throws SQLException {
        for (UUID open : session.<UUID>column("SELECT id FROM queue.flow WHERE NOT sealed")) {
            seal(session, open);
        }
        session.execute("UPDATE queue.worker SET beat_at = beat_at - interval '1 hour'");
        session.column("SELECT id FROM queue.rescue(max => 10000)");
        do {
            session.execute("UPDATE queue.flow_tick SET at = '-infinity'");
            session.column("SELECT queue.promote(10000)");
            resolveAll(session);
        } while (settle(session, false) > 0 || session.number("SELECT count(*) FROM queue.flow_tick") > 0);
    }

    private void kill(Session session) throws SQLException, InterruptedException {
        Random random = new Random(1);
        while (System.nanoTime() < until) {
            List<Integer> pids = session.column("SELECT pid FROM pg_stat_activity WHERE datname = current_database()"
                    + " AND pid <> pg_backend_pid() AND state <> 'idle'");
            if (!pids.isEmpty()) {
                int pid = pids.get(random.nextInt(pids.size()));
                session.execute("SELECT pg_terminate_backend(?)", pid);
                kills.incrementAndGet();
            }
            session.execute("SELECT pg_sleep(0.05)");
        }
    }

    /** On sessions that may be killed at any time. */
    private void work(Random random, int number) throws SQLException {
        while (System.nanoTime() < until) {
            try (Session session = Session.open(database)) {
                while (System.nanoTime() < until) {
                    if (number <= 2) {
                        publish(session, random);
                    }
                    if (number >= 3 && random.nextInt(3) > 0) {
                        settle(session, random.nextInt(10) == 0);
                    }
                    if (random.nextBoolean()) {
                        session.column("SELECT folded FROM queue.resolve(?)", 1 + random.nextInt(50));
                    } else {
                        session.execute("SELECT FROM queue.heartbeat(?)", session.workerId());
                        for (String pair : take(session, session.workerId(), 1 + random.nextInt(50))) {
                            complete(session, pair);
                        }
                    }
                    interfere(session, random);
                }
            } catch (SQLException | RuntimeException ex) {
                if (!String.valueOf(ex.getMessage())
                        .matches("(?s).*(terminat|connect|closed|I/O|backend|declared dead).*")) {
                    throw ex;
                }
            }
        }
    }

    private void publish(Session session, Random random) throws SQLException {
        boolean asOne = random.nextBoolean();
        if (asOne) {
            session.execute("BEGIN");
        }
        if (random.nextInt(3) == 0) {
            session.column("SELECT id FROM queue.publish_flow('f', ?::jsonb)", DIAMOND);
        } else {
            UUID batch = openBatch(session);
            for (int i = random.nextInt(4); i > 0; i--) {
                session.column("SELECT queue.add_members(?, ?::jsonb)", batch, members(1 + random.nextInt(20)));
            }
            seal(session, batch);
        }
        if (asOne) {
            session.execute(random.nextInt(5) == 0 ? "ROLLBACK" : "COMMIT");
        }
        flows.incrementAndGet();
    }

    private static void interfere(Session session, Random random) throws SQLException {
        switch (random.nextInt(40)) {
            case 0 -> session.column("SELECT jobs FROM queue.replay_jobs('{\"state\": \"DEAD\"}', max => 5)");
            case 1 ->
                session.column("SELECT queue.cancel_flow(id) FROM queue.flow WHERE finished_at IS NULL"
                        + " ORDER BY random() LIMIT 1");
            case 2 -> session.column("SELECT queue.cancel(id) FROM queue.job ORDER BY random() LIMIT 1");
            case 3 -> session.column("SELECT id FROM queue.rescue(ttl => '500 milliseconds')");
            case 4 ->
                session.column(
                        "SELECT queue.add_members(id, ?::jsonb) FROM queue.flow WHERE kind = 'BATCH'"
                                + " ORDER BY random() LIMIT 1",
                        members(1));
            case 5 -> session.column("SELECT thing FROM queue.prune(10)");
            default -> {}
        }
    }

    /** Resolves, and takes what becomes free; returns the jobs as id/lease. */
    static List<String> take(Session session, UUID worker, int max) throws SQLException {
        long lease = -1 - ThreadLocalRandom.current().nextLong(1L << 50);
        List<String> pairs = session.column(RESOLVE_AND_TAKE, max, worker, lease, worker);
        return pairs.stream().filter(Objects::nonNull).toList();
    }

    static UUID openBatch(Session session) throws SQLException {
        return session.<UUID>column("""
                        SELECT id FROM queue.open_batch('b', on_success => '{"type": "success", "payload": {}}',
                            on_finish => '{"type": "finish", "payload": {}}',
                            on_death => '{"type": "death", "payload": {}}')""").get(0);
    }

    static void seal(Session session, UUID batch) throws SQLException {
        session.execute("SELECT queue.seal_batch(?)", batch);
    }

    static String members(int jobs) {
        return IntStream.range(0, jobs)
                .mapToObj(i -> "{\"type\": \"m%s\", \"payload\": {}}".formatted(i))
                .collect(Collectors.joining(", ", "[", "]"));
    }

    static void resolveAll(Session session) throws SQLException {
        while (session.number("SELECT folded FROM queue.resolve()") > 0) {}
    }

    /** Claims some jobs and settles them with one call; members of type m1 die if wished. */
    static int settle(Session session, boolean deadly) throws SQLException {
        session.execute("SELECT FROM queue.heartbeat(?)", session.workerId());
        List<String> pairs = claimed(session);
        for (String pair : pairs) {
            if (deadly && pair.endsWith("/m1")) {
                session.column(
                        "SELECT state FROM queue.fail_many(ARRAY[?::uuid], ARRAY[?::bigint], '{broken}', '{false}')",
                        (Object[]) keys(pair));
            }
        }
        List<String> others =
                pairs.stream().filter(pair -> !(deadly && pair.endsWith("/m1"))).toList();
        session.column(
                "SELECT queue.complete_many(?::uuid[], ?::bigint[])",
                others.stream().map(pair -> pair.split("/", -1)[0]).collect(Collectors.joining(",", "{", "}")),
                others.stream().map(pair -> pair.split("/", -1)[1]).collect(Collectors.joining(",", "{", "}")));
        return pairs.size();
    }

    static void complete(Session session, String pair) throws SQLException {
        session.column("SELECT queue.complete_many(ARRAY[?::uuid], ARRAY[?::bigint])", (Object[]) keys(pair));
    }

    private static String[] keys(String pair) {
        String[] parts = pair.split("/", -1);
        return new String[] {parts[0], parts[1]};
    }

    /** Id, lease and type of the jobs that were claimed. */
    static List<String> claimed(Session session) throws SQLException {
        return session.column(
                "SELECT id || '/' || lease || '/' || type FROM queue.claim(?, '{default}', '{20}')",
                session.workerId());
    }

    /** The callbacks that were published for a flow, with their rounds. */
    static List<String> callbacks(Session session, UUID flow) throws SQLException {
        return session.column("""
                SELECT type || ' ' || (headers ->> 'round') FROM (SELECT type, headers FROM queue.job
                    UNION ALL SELECT type, headers FROM queue.job_history) AS j
                WHERE headers ->> 'flow' = ? ORDER BY 1""", flow.toString());
    }
}
