package dev.jobqueue.survival.check;

import dev.jobqueue.survival.cluster.Cluster;
import dev.jobqueue.survival.cluster.Cluster.Termination;
import dev.jobqueue.survival.ledger.Entry;
import dev.jobqueue.survival.ledger.Ledgers;
import dev.jobqueue.survival.ledger.Verb;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;

/**
 * What the processes and the database say, while both go on. The order makes it comparable: what was committed is read
 * before the database is, what was handled after it.
 *
 * @param committed the jobs of which the producer knew, before the look at the database, that they are committed
 * @param ledgers all that was written down until after the look
 */
record Evidence(Set<UUID> committed, Snapshot database, Ledgers ledgers, List<Termination> terminations) {

    static Evidence gather(Cluster cluster) {
        Set<UUID> committed = cluster.ledgers().refresh().ids(Verb.COMMITTED);
        Snapshot database = Snapshot.take(cluster.database());
        return new Evidence(committed, database, cluster.ledgers().refresh(), cluster.terminations());
    }

    Stream<Entry> entries(UUID id, Verb verb) {
        return ledgers.ofJob(id).stream().filter(entry -> entry.verb() == verb);
    }

    /**
     * The lease of the last run of an attempt: a claim that was given back, or forgotten in a crash, is followed by
     * another.
     */
    Optional<Entry> lastRun(UUID id, int attempt) {
        return entries(id, Verb.STARTED)
                .filter(entry -> entry.attempt() == attempt)
                .max((one, other) -> Long.compare(one.lease(), other.lease()));
    }
}
