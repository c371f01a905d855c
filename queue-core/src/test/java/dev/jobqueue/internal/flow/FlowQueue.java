package dev.jobqueue.internal.flow;

import dev.jobqueue.internal.QueueFixture;
import dev.jobqueue.internal.handle.ClaimedJob;
import dev.jobqueue.internal.settle.SettleCalls.Completion;
import dev.jobqueue.internal.settle.SettleCalls.Failure;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/** A queue whose tests publish batches and flows, run their jobs one call after another, and resolve. */
final class FlowQueue {

    final QueueFixture queue = new QueueFixture();

    /** Jobs of these types die. */
    final Set<String> deadly = new HashSet<>();

    /** Types in the order in which their jobs ran. */
    final List<String> ran = new ArrayList<>();

    private final UUID worker = UUID.randomUUID();

    void reset() {
        queue.reset();
        deadly.clear();
        ran.clear();
    }

    /** Opens a batch with all callbacks. */
    UUID batch(String... arguments) {
        String further = arguments.length == 0 ? "" : ", " + String.join(", ", arguments);
        return queue.one(UUID.class, """
                SELECT id FROM queue.open_batch('news', on_success => '{"type": "success", "payload": {}}',
                    on_finish => '{"type": "finish", "payload": {}}', on_death => '{"type": "death", "payload": {}}'%s)
                """.formatted(further));
    }

    List<UUID> add(UUID batch, int jobs, String type) {
        return queue.list(UUID.class, """
                SELECT queue.add_members(?, (SELECT jsonb_agg(jsonb_build_object('type', ?, 'payload', '{}'::jsonb))
                    FROM generate_series(1, ?)))""", batch, type, jobs);
    }

    void seal(UUID batch) {
        queue.call("seal_batch('%s')".formatted(batch));
    }

    /** Publishes a flow whose steps are written one for a line: {@code name [kind] < parents policy}. */
    UUID flow(String steps, String... arguments) {
        String further = arguments.length == 0 ? "" : ", " + String.join(", ", arguments);
        return queue.one(
                UUID.class,
                "SELECT id FROM queue.publish_flow('order', '%s'%s)".formatted(StepsText.json(steps), further));
    }

    /** Runs what can be claimed, once; returns how many jobs that were. */
    int runOnce() {
        List<ClaimedJob> claimed = queue.claims.claim(worker, Map.of("default", 1000), null);
        for (ClaimedJob job : claimed) {
            ran.add(job.type());
            if (deadly.contains(job.type())) {
                queue.settlements.failAll(List.of(new Failure(job.lease(), "broken", false)));
            } else {
                String result = "{\"by\": \"%s\"}".formatted(job.type());
                queue.settlements.completeAll(List.of(new Completion(job.lease(), result)));
            }
        }
        return claimed.size();
    }

    /** Runs and resolves until there is nothing to do. */
    void runAll() {
        int did;
        do {
            did = resolve() + runOnce();
        } while (did > 0);
    }

    /** Folds all that is there; returns how many ticks. */
    int resolve() {
        int folded = 0;
        int more;
        do {
            more = queue.one(Integer.class, "SELECT folded FROM queue.resolve()");
            folded += more;
        } while (more > 0);
        return folded;
    }

    String stateOf(UUID flow) {
        return queue.one(String.class, "SELECT state FROM queue.find_flow(?)", flow);
    }

    /** Total, done, dead, cancelled and round. */
    String figuresOf(UUID flow) {
        return queue.one(
                String.class,
                "SELECT format('%s/%s/%s/%s round %s', total, done, dead, cancelled, round) FROM queue.find_flow(?)",
                flow);
    }

    /** The callbacks that were published for a flow, with their rounds. */
    List<String> callbacksOf(UUID flow) {
        return queue.list(String.class, """
                SELECT type || ' ' || (headers ->> 'round') FROM (
                    SELECT id, type, headers FROM queue.job_history UNION ALL SELECT id, type, headers FROM queue.job
                    UNION ALL SELECT id, type, headers FROM queue.dead_letter) AS j
                WHERE headers ->> 'flow' = ? ORDER BY id""", flow.toString());
    }

    /** The steps of a flow with their states: {@code pay DONE}. */
    List<String> stepsOf(UUID flow) {
        return queue.list(
                String.class, "SELECT name || ' ' || state FROM queue.flow_step WHERE flow = ? ORDER BY step", flow);
    }

    UUID jobOf(UUID flow, String step) {
        return queue.one(UUID.class, "SELECT job_id FROM queue.flow_step WHERE flow = ? AND name = ?", flow, step);
    }
}
