package dev.jobqueue.survival.check;

import dev.jobqueue.survival.check.Snapshot.BusinessRow;
import dev.jobqueue.survival.cluster.Cluster;
import dev.jobqueue.survival.cluster.Cluster.Termination;
import dev.jobqueue.survival.ledger.Entry;
import dev.jobqueue.survival.ledger.Verb;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What the queue promises, as checks of the evidence. */
public final class Invariants {

    private static final String TRANSACTIONAL = "transactional";

    /** The types of jobs that cannot but die begin with it. */
    private static final String DOOMED = "doomed";

    private static final List<Invariant> ALL = List.of(
            new Invariant("a committed job is still there", Invariants::vanished),
            new Invariant("a job that was not committed is not there", Invariants::ghosts),
            new Invariant("a job is in one place", Invariants::doubles),
            new Invariant("a live job is ready, scheduled, waiting or leased, once", Invariants::misplaced),
            new Invariant("a limit is kept", evidence -> evidence.database().over().stream()),
            new Invariant("the end of a flow is told once", evidence -> evidence.database().untold().stream()),
            new Invariant("a completed job was handled to the end by that attempt", Invariants::unhandled),
            new Invariant(
                    "a transactional handler's row is there once, of the attempt that completed", Invariants::business),
            new Invariant("a child commits with its parent", Invariants::children),
            new Invariant("a job dies, or is cancelled, for a reason", Invariants::endings),
            new Invariant("a SIGTERM fails no attempt", Invariants::terminated),
            new Invariant("a zombie is refused", Invariants::zombies),
            new Invariant("a lease is held once", Invariants::leases),
            new Invariant("a job is not claimed before it is due", Invariants::early));

    private Invariants() {}

    /** All that breaks a promise, with the ids to look for in the ledgers. */
    public static List<String> violations(Cluster cluster) {
        return violations(Evidence.gather(cluster));
    }

    static List<String> violations(Evidence evidence) {
        return ALL.stream().flatMap(each -> each.violations(evidence)).toList();
    }

    private static Stream<String> vanished(Evidence evidence) {
        Map<UUID, List<JobRow>> jobs = evidence.database().jobs();
        Stream<String> committed = evidence.committed().stream()
                .filter(id -> !jobs.containsKey(id))
                .map(id -> "job " + id + " is gone");
        Stream<String> ordered = evidence.database().orders().stream()
                .filter(id -> !jobs.containsKey(id))
                .map(id -> "the order of job " + id + " committed, the job did not");
        return Stream.concat(committed, ordered);
    }

    private static Stream<String> ghosts(Evidence evidence) {
        Map<UUID, List<JobRow>> jobs = evidence.database().jobs();
        Stream<String> undone = Stream.of(Verb.ROLLED_BACK, Verb.HELD)
                .flatMap(verb -> evidence.ledgers().ids(verb).stream())
                .filter(jobs::containsKey)
                .map(id -> "job " + id + " appeared");
        Stream<String> unknown = evidence.database().rows().stream()
                .filter(job -> !job.generated() && !evidence.ledgers().has(Verb.INTENDED, job.id()))
                .map(job -> "nobody published job " + job);
        return Stream.concat(undone, unknown);
    }

    private static Stream<String> doubles(Evidence evidence) {
        return evidence.database().jobs().values().stream()
                .filter(rows -> rows.size() > 1)
                .map(rows -> "job is there as " + rows);
    }

    private static Stream<String> misplaced(Evidence evidence) {
        return evidence.database().misplaced().entrySet().stream()
                .map(job -> "%s has %s".formatted(job.getKey(), job.getValue()));
    }

    private static Stream<String> unhandled(Evidence evidence) {
        return evidence.database().rows().stream()
                .filter(JobRow::isCompleted)
                .filter(job ->
                        evidence.entries(job.id(), Verb.FINISHED).noneMatch(entry -> entry.attempt() == job.attempt()))
                .map(job -> "no handler finished job " + job);
    }

    private static Stream<String> business(Evidence evidence) {
        return evidence.database().rows().stream()
                .filter(job -> job.type().equals(TRANSACTIONAL))
                .flatMap(job -> {
                    List<BusinessRow> rows = evidence.database().business().getOrDefault(job.id(), List.of());
                    boolean right = job.isCompleted()
                            ? rows.size() == 1 && rows.get(0).attempt() == job.attempt()
                            : rows.isEmpty();
                    return right ? Stream.empty() : Stream.of("job %s has rows %s".formatted(job, rows));
                });
    }

    private static Stream<String> children(Evidence evidence) {
        Map<UUID, List<JobRow>> jobs = evidence.database().jobs();
        Set<UUID> children = evidence.database().business().values().stream()
                .flatMap(Collection::stream)
                .map(BusinessRow::childId)
                .collect(Collectors.toCollection(HashSet::new));
        Stream<String> missing =
                children.stream().filter(id -> !jobs.containsKey(id)).map(id -> "child " + id + " is missing");
        Stream<String> orphans = evidence.database().rows().stream()
                .filter(job -> job.type().equals("child") && !children.contains(job.id()))
                .map(job -> "no parent committed with child " + job);
        return Stream.concat(missing, orphans);
    }

    private static Stream<String> endings(Evidence evidence) {
        return evidence.database().rows().stream()
                .filter(job -> switch (job.state()) {
                    case "DEAD" -> !job.type().startsWith(DOOMED);
                    case "COMPLETED" -> job.type().startsWith(DOOMED);
                    case "CANCELLED" -> !evidence.ledgers().has(Verb.CANCELLING, job.id());
                    default -> false;
                })
                .map(job -> "job " + job + " should not have ended so");
    }

    /** An attempt that was given back runs again under its number; one that was not has no other run. */
    private static Stream<String> terminated(Evidence evidence) {
        return evidence.terminations().stream()
                .flatMap(termination -> evidence.ledgers().ofNode(termination.node()).stream()
                        .filter(entry -> entry.verb() == Verb.STARTED && entry.nanos() > termination.calmSince())
                        .filter(entry -> !hasFinishedBefore(evidence, entry, termination))
                        .filter(entry -> isLastOfItsAttempt(evidence, entry))
                        .flatMap(entry ->
                                evidence.database().errors().getOrDefault(entry.id(), Map.of()).entrySet().stream()
                                        .filter(error -> error.getKey() == entry.attempt())
                                        .map(error -> "%s failed with: %s".formatted(entry, error.getValue()))));
    }

    private static boolean hasFinishedBefore(Evidence evidence, Entry started, Termination termination) {
        return evidence.entries(started.id(), Verb.FINISHED)
                .anyMatch(entry -> entry.lease() == started.lease() && entry.nanos() < termination.at());
    }

    private static boolean isLastOfItsAttempt(Evidence evidence, Entry started) {
        return evidence.lastRun(started.id(), started.attempt())
                .filter(last -> last.lease() == started.lease())
                .isPresent();
    }

    private static Stream<String> zombies(Evidence evidence) {
        Stream<String> accepted = evidence.ledgers().jobs().keySet().stream()
                .flatMap(id -> evidence.entries(id, Verb.ACCEPTED))
                .filter(call -> evidence.entries(call.id(), Verb.STARTED)
                        .anyMatch(later -> later.lease() > call.lease() && later.nanos() < call.nanos()))
                .map(call -> "after a later run began: " + call);
        Stream<String> completed = evidence.database().rows().stream()
                .filter(JobRow::isCompleted)
                .flatMap(job -> evidence.lastRun(job.id(), job.attempt()).stream())
                .flatMap(run -> evidence.entries(run.id(), Verb.REFUSED).filter(call -> call.lease() == run.lease()))
                .map(call -> "its job was completed by somebody else: " + call);
        return Stream.concat(accepted, completed);
    }

    private static Stream<String> leases(Evidence evidence) {
        Map<Long, Set<String>> holders = evidence.ledgers().jobs().values().stream()
                .flatMap(Collection::stream)
                .filter(entry -> entry.verb() == Verb.STARTED)
                .collect(Collectors.groupingBy(Entry::lease, Collectors.mapping(Entry::node, Collectors.toSet())));
        Stream<String> shared = holders.entrySet().stream()
                .filter(holder -> holder.getValue().size() > 1)
                .map(holder -> "lease %d by %s".formatted(holder.getKey(), holder.getValue()));
        Stream<String> twice = evidence.ledgers().jobs().keySet().stream()
                .flatMap(id ->
                        evidence
                                .entries(id, Verb.STARTED)
                                .collect(Collectors.groupingBy(Entry::lease))
                                .values()
                                .stream())
                .filter(runs -> runs.size() > 1)
                .map(runs -> "handled twice under one: " + runs);
        return Stream.concat(shared, twice);
    }

    private static Stream<String> early(Evidence evidence) {
        return evidence.database().rows().stream().filter(JobRow::early).map(JobRow::toString);
    }
}
