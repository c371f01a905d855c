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
