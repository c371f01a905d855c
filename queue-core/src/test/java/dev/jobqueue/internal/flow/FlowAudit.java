package dev.jobqueue.internal.flow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.internal.Places;
import dev.jobqueue.postgres.TestDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** What must be true of batches and flows at any time, besides what must be true of all jobs. */
public final class FlowAudit {

    private static final String WRONG = """
            WITH counted AS (
                SELECT f.id, f.total, f.done, f.dead, f.cancelled, coalesce(s.total, 0) AS steps,
                    coalesce(s.done, 0) AS steps_done, coalesce(s.dead, 0) AS steps_dead,
                    coalesce(s.cancelled, 0) AS steps_cancelled
                FROM queue.flow f LEFT JOIN (
                    SELECT flow, count(*) AS total, count(*) FILTER (WHERE state = 'DONE') AS done,
                        count(*) FILTER (WHERE state = 'DEAD') AS dead,
                        count(*) FILTER (WHERE state = 'CANCELLED') AS cancelled
                    FROM queue.flow_step WHERE missing IS NOT NULL GROUP BY flow) AS s ON s.flow = f.id
                WHERE f.kind = 'FLOW')
            SELECT format('flow %s counts %s/%s/%s/%s and has %s/%s/%s/%s steps', id, total, done, dead, cancelled,
                steps, steps_done, steps_dead, steps_cancelled)
            FROM counted WHERE (total, done, dead, cancelled) <> (steps, steps_done, steps_dead, steps_cancelled)
            UNION ALL
            SELECT format('step %s of %s misses %s parents instead of %s', c.name, c.flow, c.missing, p.missing)
            FROM queue.flow_step c CROSS JOIN LATERAL (
                SELECT count(*) AS missing FROM queue.flow_edge e
                    JOIN queue.flow_step p ON p.flow = e.flow AND p.step = e.parent
                WHERE e.flow = c.flow AND e.child = c.step
                    AND NOT (p.state = 'DONE' OR c.on_parent_dead = 'RUN' AND p.state IN ('DEAD', 'CANCELLED'))) AS p
            WHERE c.state = 'BLOCKED' AND c.missing <> p.missing
            UNION ALL
            SELECT format('step %s of %s is blocked and misses nothing', c.name, c.flow)
            FROM queue.flow_step c WHERE c.state = 'BLOCKED' AND c.missing = 0
            UNION ALL
            SELECT format('step %s of %s is blocked behind %s, which is %s', c.name, c.flow, p.name, p.state)
            FROM queue.flow_step c JOIN queue.flow_edge e ON e.flow = c.flow AND e.child = c.step
                JOIN queue.flow_step p ON p.flow = e.flow AND p.step = e.parent
            WHERE c.state = 'BLOCKED' AND c.on_parent_dead = 'CANCEL' AND p.state IN ('DEAD', 'CANCELLED')
            UNION ALL
            SELECT format('step %s of %s is %s and has a live job', s.name, s.flow, s.state)
            FROM queue.flow_step s JOIN queue.job j ON j.id = s.job_id WHERE s.state <> 'FREE'
                AND NOT EXISTS (SELECT FROM queue.flow_tick t WHERE t.flow = s.flow)
            UNION ALL
            SELECT format('step %s of %s is free and has no live job', s.name, s.flow)
            FROM queue.flow_step s WHERE s.state = 'FREE' AND s.kind = 'job'
                AND NOT EXISTS (SELECT FROM queue.job j WHERE j.id = s.job_id)
                AND NOT EXISTS (SELECT FROM queue.flow_tick t WHERE t.flow = s.flow)
            UNION ALL
            SELECT format('%s %s has finished with %s of %s', kind, id, done + dead + cancelled, total)
            FROM queue.flow WHERE finished_at IS NOT NULL AND done + dead + cancelled <> total
            UNION ALL
            SELECT format('%s %s is over and has not finished', kind, id)
            FROM queue.flow WHERE finished_at IS NULL AND sealed AND done + dead + cancelled >= total
                AND NOT EXISTS (SELECT FROM queue.flow_tick t WHERE t.flow = flow.id)
            UNION ALL
            SELECT format('batch %s has %s live jobs and %s of %s are left', f.id, j.jobs, f.total - f.done - f.dead
                - f.cancelled - n.flows, f.total)
            FROM queue.flow f CROSS JOIN LATERAL (SELECT count(*) AS jobs FROM queue.job j WHERE j.flow = f.id) AS j
                CROSS JOIN LATERAL (SELECT count(*) AS flows FROM queue.flow c
                    WHERE c.parent = f.id AND c.finished_at IS NULL) AS n
            WHERE f.kind = 'BATCH' AND j.jobs <> f.total - f.done - f.dead - f.cancelled - n.flows
                AND NOT EXISTS (SELECT FROM queue.flow_tick t WHERE t.flow = f.id)
            UNION ALL
            SELECT format('%s %s has the problem: %s', kind, id, problem) FROM queue.flow WHERE problem IS NOT NULL
            """;

    private FlowAudit() {}

    /** Expects that nothing contradicts, whether or not ticks are left. */
    public static void audit(TestDatabase database) throws SQLException {
        Places.audit(database);
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
