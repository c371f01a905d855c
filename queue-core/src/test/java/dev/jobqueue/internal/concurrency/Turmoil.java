package dev.jobqueue.internal.concurrency;

import dev.jobqueue.InvalidJobException;
import dev.jobqueue.JobNotFoundException;
import dev.jobqueue.JobState;
import dev.jobqueue.LeaseLostException;
import dev.jobqueue.internal.handle.ClaimedJob;
import dev.jobqueue.internal.node.NodeCalls;
import dev.jobqueue.internal.settle.JobLease;
import dev.jobqueue.internal.settle.SettleCalls;
import dev.jobqueue.operate.JobFilter;
import dev.jobqueue.operate.MatchingJobs;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;

/** One session that does one thing after another, by chance, to jobs of its own and of the others. */
final class Turmoil {

    /** All that is done, some of it more often. */
    static final Set<String> KINDS = Set.of(
            "claim",
            "complete",
            "complete in a transaction",
            "fail",
            "snooze",
            "release",
            "touch",
            "heartbeat",
            "rescue",
            "promote",
            "cancel",
            "replay",
            "move one",
            "reprioritise many",
            "reschedule many",
            "retry many",
            "cancel many",
            "publish",
            "publish with keys",
            "publish with rules",
            "prune");

    private final Session session;
    private final SharedWork work;
    private final Random random;
    private final Map<String, Action> actions = new LinkedHashMap<>();
    private final List<String> weighted;

    Turmoil(Session session, SharedWork work, int seed) {
        this.session = session;
        this.work = work;
        this.random = new Random(seed);
        actions.put("claim", this::claim);
        actions.put("complete", this::complete);
        actions.put("complete in a transaction", this::completeInTransaction);
        actions.put("fail", this::fail);
        actions.put(
                "snooze", () -> eachOf("snoozed", lease -> session.settlements.snooze(lease, Duration.ofMillis(1))));
        actions.put("release", () -> refused(session.settlements.release(some())));
        actions.put("touch", this::touch);
        actions.put("heartbeat", this::heartbeat);
        actions.put("rescue", this::rescue);
        actions.put("promote", this::promote);
        actions.put("cancel", this::cancel);
        actions.put(
                "replay",
                () -> session.api.all(JobFilter.of(JobState.DEAD)).limit(20).replay());
        actions.put("move one", this::moveOne);
        actions.put("reprioritise many", () -> batch().reprioritise(random.nextInt(3)));
        actions.put("reschedule many", () -> batch().reschedule(Instant.now().plusMillis(random.nextInt(20))));
        actions.put(
                "retry many",
                () -> session.api
                        .all(JobFilter.of(JobState.SCHEDULED))
                        .limit(20)
                        .retry());
        actions.put(
                "cancel many",
                () -> work.count("cancelled", batch().limit(3).cancel().jobs()));
        actions.put("publish", () -> work.publish(session, 30));
        actions.put("publish with keys", () -> work.publishWithKeys(session, random));
        actions.put("publish with rules", () -> work.publishWithRules(session, random));
        actions.put("prune", () -> session.upkeep.prune(100));
        this.weighted = random.ints(200, 0, 40)
                .mapToObj(
                        i -> i < actions.size() ? List.copyOf(actions.keySet()).get(i) : i < 32 ? "claim" : "complete")
                .toList();
    }

    void doSomething() throws SQLException {
        String kind = weighted.get(random.nextInt(weighted.size()));
        try {
            actions.get(kind).run();
            work.count(kind, 1);
        } catch (LeaseLostException ex) {
            // The worker itself was declared dead by somebody's rescue, or the job is another's by now.
            work.count(String.valueOf(ex.getMessage()).contains("declared dead") ? "declared dead" : "refused", 1);
            session.becomeAnotherWorker();
        } catch (JobNotFoundException ex) {
            work.count("refused", 1);
        } catch (RuntimeException ex) {
            work.surprise(ex);
        }
    }

    private void claim() {
        work.add(session.claim(1 + random.nextInt(30)).stream()
                .map(ClaimedJob::lease)
                .toList());
    }

    private void complete() {
        List<JobLease> claims = some();
        List<UUID> refused = session.complete(claims);
        work.count("completed", claims.size() - refused.size());
        refused(refused);
    }

    /** As a transactional handler does: its own writes, a child, the completion. */
    private void completeInTransaction() throws SQLException {
        session.execute("BEGIN");
        try {
            List<UUID> children = session.publish(2);
            work.some(random, 1).forEach(lease -> session.settlements.complete(lease, "{\"sent\": true}"));
            session.execute("COMMIT");
            work.addPublished(children);
        } finally {
            session.execute("ROLLBACK");
        }
    }

    private void fail() {
        List<SettleCalls.Failed> failed = session.settlements.failAll(some().stream()
                .map(lease -> new SettleCalls.Failure(lease, "as planned", random.nextInt(5) > 0))
                .toList());
        for (SettleCalls.Failed job : failed) {
            work.count(job.state() == null ? "refused" : "failed to " + job.state(), 1);
        }
    }

    private void touch() {
        eachOf("touched", lease -> {
            session.reports.progress(lease, random.nextInt(101), "half way");
            session.reports.log(lease, "INFO", "still here");
            session.reports.saveStep(lease, "step " + random.nextInt(3), "1");
            session.reports.extend(lease, Duration.ofSeconds(1));
        });
    }

    private void heartbeat() {
        NodeCalls.Registration node = new NodeCalls.Registration(session.workerId(), "host", 1, "1", null, null);
        work.count("stopped by a beat", session.workers.heartbeat(node, some()).size());
    }

    private void rescue() {
        Duration ttl = Duration.ofMillis(random.nextInt(4) == 0 ? 20 : 500);
        work.count(
                "rescued",
                session.upkeep.rescue(ttl, Duration.ofMillis(10), 100).jobs().size());
    }

    private void promote() throws SQLException {
        long scheduled =
                session.number("SELECT count(*) FROM queue.live_job WHERE state = 'SCHEDULED' AND run_at < now()");
        session.upkeep.promote(1 + random.nextInt(100));
        work.count("promoted", scheduled);
    }

    private void cancel() throws SQLException {
        List<UUID> live =
                session.column("SELECT id FROM queue.live_job WHERE state <> 'RUNNING' OR random() < 0.5 LIMIT 50");
        if (!live.isEmpty() && session.operations.cancel(live.get(random.nextInt(live.size()))) == JobState.CANCELLED) {
            work.count("cancelled", 1);
        }
        eachOf("cancelled by its worker", session.settlements::confirmCancel);
    }

    private void moveOne() throws SQLException {
        List<UUID> live = session.column("SELECT id FROM queue.job ORDER BY random() LIMIT 2");
        for (UUID id : live) {
            session.api.reprioritise(id, random.nextInt(3));
            try {
                session.api.reschedule(id, Instant.now().plusMillis(random.nextInt(20) - 10));
            } catch (InvalidJobException ex) {
                work.count("refused", 1); // it runs
            }
        }
    }

    private MatchingJobs batch() {
        JobState[] states = {JobState.SCHEDULED, JobState.PENDING};
        return session.api.all(JobFilter.of(states[random.nextInt(2)])).limit(30);
    }

    private List<JobLease> some() {
        return work.some(random, 1 + random.nextInt(40));
    }

    private void eachOf(String success, Step step) {
        for (JobLease lease : work.some(random, 4)) {
            try {
                step.take(lease);
                work.count(success, 1);
            } catch (LeaseLostException | JobNotFoundException ex) {
                work.count("refused", 1);
            }
        }
    }

    private void refused(List<UUID> ids) {
        work.count("refused", ids.size());
    }

    /** Something to do. */
    @FunctionalInterface
    private interface Action {
        void run() throws SQLException;
    }

    /** Something to do with a claim. */
    @FunctionalInterface
    private interface Step {
        void take(JobLease lease);
    }
}
