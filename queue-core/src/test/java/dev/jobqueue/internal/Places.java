package dev.jobqueue.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.postgres.TestDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** Where jobs stand: each live job in exactly one place, and in a place where it can be found. */
public final class Places {

    private static final String WRONG = """
            WITH place AS (
                SELECT id, 'ready' AS place, epoch, hash, rank, run_at, type, size FROM queue.ready
                UNION ALL
                SELECT id, 'scheduled', epoch, hash, rank, run_at, type, size FROM queue.scheduled
                UNION ALL
                SELECT w.id, 'waiting', w.epoch, w.hash, CASE WHEN j.seq IS NULL THEN w.rank ELSE ~j.priority END,
                    w.run_at, w.type, w.size FROM queue.waiting w JOIN queue.job j ON j.id = w.id
            ), held AS (
                SELECT h.id, h.version FROM queue.lease l CROSS JOIN unnest(l.ids, l.versions) AS h (id, version)
            ), counted AS (
                SELECT j.id, coalesce(e.n, 0) AS entries, coalesce(h.n, 0) AS leases
                FROM queue.job j LEFT JOIN (SELECT id, count(*) AS n FROM place GROUP BY id) AS e USING (id)
                    LEFT JOIN (SELECT id, version, count(*) AS n FROM held GROUP BY id, version) AS h
                        USING (id, version)
            )
            SELECT format('job %s has %s entries and %s leases', id, entries, leases)
            FROM counted WHERE entries + leases <> 1
            UNION ALL
            SELECT format('%s has an entry of %s, which is no live job', p.place, p.id)
            FROM place p WHERE p.id NOT IN (SELECT id FROM queue.job)
            UNION ALL
            SELECT format('the entry of %s in %s is not that of the job', p.id, p.place)
            FROM place p JOIN queue.job j ON j.id = p.id
            WHERE (p.hash, p.rank, p.run_at, p.type, p.size)
                <> (hashtextextended(j.queue, 0), ~j.priority, j.run_at, j.type, octet_length(j.payload::text)
                    + coalesce(octet_length(j.headers::text), 0) + queue.internal_bytes_of_steps(j.id))
            UNION ALL
            SELECT format('no search looks into epoch %s for %s in %s', p.epoch, p.id, p.place)
            FROM place p WHERE p.epoch <> ALL (queue.internal_epochs())
            UNION ALL
            SELECT format('a search begins behind %s in %s', p.id, p.place)
            FROM place p JOIN queue.floor f ON f.epoch = p.epoch
            WHERE p.place = 'ready' AND f.filter = 0 AND f.hash = p.hash
                    AND (p.rank, p.run_at, p.id) < (f.rank, f.run_at, f.id)
                OR p.place = 'scheduled' AND f.filter = 1 AND (p.run_at, p.id) < (f.run_at, f.id)
            UNION ALL
            SELECT format('a search begins behind %s in its line', w.id)
            FROM queue.waiting w JOIN queue.floor f ON f.epoch = w.epoch AND f.filter = 3 AND f.hash = w.line
            WHERE (w.rank, w.place, w.id) < (f.rank, f.run_at, f.id)
            UNION ALL
            SELECT format('a search begins behind a turn of %s', coalesce(t.line::text, 'gates'))
            FROM queue.turn t JOIN queue.floor f ON f.epoch = t.epoch AND f.filter = 2 AND f.hash = t.hash
            WHERE t.at < f.run_at
            UNION ALL
            SELECT format('no search looks into epoch %s for a turn of %s', t.epoch, t.line)
            FROM queue.turn t WHERE t.epoch <> ALL (queue.internal_epochs())
            UNION ALL
            SELECT format('job %s has limits and stands in ready', j.id)
            FROM queue.job j JOIN queue.ready r ON r.id = j.id WHERE j.line IS NOT NULL
            UNION ALL
            SELECT format('waiting has an entry of %s, which is no live job', w.id)
            FROM queue.waiting w WHERE w.id NOT IN (SELECT id FROM queue.job)
            UNION ALL
            SELECT format('waiting has %s in line %s instead of %s', w.id, w.line, j.line)
            FROM queue.waiting w JOIN queue.job j ON j.id = w.id WHERE w.line IS DISTINCT FROM j.line
            UNION ALL
            SELECT format('%s holds limit %s and does not run', h.id, h.name) FROM queue.held h
            WHERE NOT EXISTS (SELECT FROM held r JOIN queue.job j USING (id, version) WHERE r.id = h.id)
                AND NOT EXISTS (SELECT FROM queue.job_limit l WHERE l.name = h.name AND l.kind = 'FIFO' AND (
                    EXISTS (SELECT FROM queue.job j WHERE j.id = h.id)
                    OR l.on_dead = 'BLOCK' AND EXISTS (SELECT FROM queue.dead_letter d WHERE d.id = h.id)))
            UNION ALL
            SELECT format('%s holds gate %s twice', h.id, h.gate) FROM queue.held h GROUP BY h.id, h.gate
            HAVING count(*) > 1
            UNION ALL
            SELECT format('line %s has work, and neither a turn nor a gate that tells it', w.line)
            FROM (SELECT DISTINCT line FROM queue.waiting) AS w
            WHERE NOT EXISTS (SELECT FROM queue.turn t WHERE t.line = w.line)
                AND NOT EXISTS (SELECT FROM queue.hung h WHERE h.line = w.line)
                AND NOT EXISTS (SELECT FROM queue.held h WHERE h.line = w.line AND h.tells)
            UNION ALL
            SELECT format('line %s hangs on gate %s, which has room and no turn', h.line, h.gate)
            FROM queue.hung h CROSS JOIN LATERAL (
                SELECT h.limits[array_position(h.gates, h.gate)] AS name) AS n
            WHERE (queue.internal_room(n.name, h.gate, clock_timestamp() - interval '1 second') > 0) IS NOT FALSE
                AND EXISTS (SELECT FROM queue.waiting w WHERE w.line = h.line)
                AND NOT EXISTS (SELECT FROM queue.turn t WHERE t.line = h.line OR h.gate = ANY (t.gates))
            """;

    private Places() {}

    /**
     * Expects that every live job stands in one place, that the place is the right one, and that nothing else stands
     * there.
     */
    public static void audit(TestDatabase database) throws SQLException {
        List<String> wrong = new ArrayList<>();
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement();
                ResultSet results = statement.executeQuery(WRONG)) {
            while (results.next()) {
                wrong.add(results.getString(1));
            }
        }
        assertThat(wrong).isEmpty();
    }
}
