package dev.jobqueue.survival.fault;

import dev.jobqueue.survival.cluster.Cluster;
import java.util.Random;

/** A way to break something under load. */
public enum Fault {
    WORKER_KILLED("kill -9 of a worker", true, ProcessFaults::killWorker),
    PRODUCER_KILLED("kill -9 of the producer between publish and commit", false, ProcessFaults::killProducer),
    WORKER_FROZEN("SIGSTOP of a worker for longer than its ttl, then SIGCONT", true, ProcessFaults::freezeWorker),
    ROLLING_RESTART("SIGTERM of one worker after the other", false, ProcessFaults::restartWorkers),
    CLOCK_AHEAD("a node whose clock is an hour ahead", false, ProcessFaults::setClockAhead),
    POOL_EXHAUSTED("all connections of a pool taken by the application", false, ProcessFaults::exhaustPool),
    CONNECTIONS_CUT("connections cut", false, WireFaults::cut),
    CONNECTIONS_DEAD("connections half-open: every byte swallowed", true, WireFaults::goDead),
    BACKENDS_TERMINATED("pg_terminate_backend of some backends", false, ServerFaults::terminateBackends),
    SERVER_RESTARTED("fast restart of PostgreSQL", false, ServerFaults::restart),
    SERVER_CRASHED("immediate stop of PostgreSQL, crash recovery", false, ServerFaults::crash),
    SERVER_READ_ONLY("PostgreSQL answers every write: read-only", false, ServerFaults::makeReadOnly),
    DISK_FULL("PostgreSQL answers every new row: disk full", false, ServerFaults::fillDisk),
    HANDLERS_THROW_ERRORS("handlers that throw Errors", false, JobFaults::throwErrors),
    HANDLERS_ASK_THE_ABSURD("handlers that snooze and extend for ever", false, JobFaults::useAbsurdValues),
    HANDLER_EXITS("System.exit in a handler", false, JobFaults::exit),
    HEAP_FILLED("a handler that fills the heap for some seconds", false, JobFaults::fillHeap),
    PAYLOADS_BIG("payloads of 135 MB under a heap of 160 MB", false, JobFaults::publishBigPayloads),
    ROW_LOCKED("the row of a running job locked by a stranger", false, JobFaults::lockRow);

    private final String description;
    private final boolean lasting;

    @SuppressWarnings("ImmutableEnumChecker") // a method without state
    private final Strike strike;

    Fault(String description, boolean lasting, Strike strike) {
        this.description = description;
        this.lasting = lasting;
        this.strike = strike;
    }

    public String description() {
        return description;
    }

    /** Whether the jobs must go on elsewhere while it lasts; else they may wait for its end. */
    public boolean isLasting() {
        return lasting;
    }

    public boolean isPossible() {
        return this != CLOCK_AHEAD || Cluster.canChangeClocks();
    }

    /** Breaks it, and returns what repairs it. */
    public Runnable strike(Cluster cluster, Random random) {
        return strike.apply(cluster, random);
    }

    @FunctionalInterface
    private interface Strike {
        Runnable apply(Cluster cluster, Random random);
    }
}
