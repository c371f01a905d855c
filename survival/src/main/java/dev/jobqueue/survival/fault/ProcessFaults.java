package dev.jobqueue.survival.fault;

import dev.jobqueue.survival.cluster.Cluster;
import dev.jobqueue.survival.cluster.Node;
import dev.jobqueue.survival.ledger.Verb;
import java.time.Duration;
import java.util.Random;

/** What happens to processes. Whoever ends is started again by the cluster. */
final class ProcessFaults {

    private static final int BUSY = 3;

    /** A pool hands out what was used this recently without a look, broken or not. */
    private static final Duration UNCHECKED = Duration.ofMillis(600);

    private static final Duration ALMOST_AN_HOUR = Duration.ofMinutes(59);

    private ProcessFaults() {}

    static Runnable killWorker(Cluster cluster, Random random) {
        busyWorker(cluster, random).kill();
        return () -> {};
    }

    static Runnable killProducer(Cluster cluster, Random random) {
        int held = cluster.ledgers().refresh().count(Verb.HELD);
        cluster.producer().tell("hold");
        cluster.await(
                "a publish without commit", () -> cluster.ledgers().refresh().count(Verb.HELD) > held);
        cluster.producer().kill();
        return () -> {};
    }

    static Runnable freezeWorker(Cluster cluster, Random random) {
        Node node = busyWorker(cluster, random);
        node.freeze();
        return node::thaw;
    }

    static Runnable restartWorkers(Cluster cluster, Random random) {
        cluster.awaitReady();
        settle(cluster);
        for (Node worker : cluster.workers()) {
            awaitBusy(cluster, worker);
            cluster.terminate(worker);
            cluster.await(worker.name(), worker::isReady);
        }
        return () -> {};
    }

    static Runnable setClockAhead(Cluster cluster, Random random) {
        Node node = random.nextInt(Cluster.WORKERS + 1) == 0 ? cluster.producer() : cluster.worker(random);
        settle(cluster);
        node.setClockAhead(true);
        cluster.terminate(node);
        cluster.await(node.name(), node::isReady);
        if (node.clockOffset().compareTo(ALMOST_AN_HOUR) < 0) {
            throw new IllegalStateException("The clock of '%s' is not ahead".formatted(node.incarnation()));
        }
        // until it is restarted for another reason
        return () -> node.setClockAhead(false);
    }

    static Runnable exhaustPool(Cluster cluster, Random random) {
        Duration time =
                cluster.timing().ttl().multipliedBy(1 + random.nextInt(2)).dividedBy(2);
        busyWorker(cluster, random).tell("hog " + time.toMillis());
        cluster.pause(time);
        return () -> {};
    }

    static Node busyWorker(Cluster cluster, Random random) {
        Node node = cluster.worker(random);
        awaitBusy(cluster, node);
        return node;
    }

    private static void awaitBusy(Cluster cluster, Node node) {
        cluster.await(node.name() + " to be busy", () -> node.running().size() >= BUSY);
    }

    private static void settle(Cluster cluster) {
        cluster.pause(UNCHECKED);
        cluster.calm();
    }
}
