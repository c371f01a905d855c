package dev.jobqueue.survival.fault;

import dev.jobqueue.survival.cluster.Cluster;
import dev.jobqueue.survival.cluster.Node;
import java.time.Duration;
import java.util.List;
import java.util.Random;

/** What happens between a node and the database. */
final class WireFaults {

    private WireFaults() {}

    static Runnable cut(Cluster cluster, Random random) {
        List<Node> nodes = random.nextBoolean()
                ? cluster.nodes()
                : List.of(cluster.nodes().get(random.nextInt(cluster.nodes().size())));
        int times = 1 + random.nextInt(3);
        for (int i = 0; i < times; i++) {
            nodes.forEach(node -> node.proxy().cut());
            cluster.pause(Duration.ofMillis(random.nextInt(300)));
        }
        return () -> {};
    }

    static Runnable goDead(Cluster cluster, Random random) {
        Node node = ProcessFaults.busyWorker(cluster, random);
        boolean staysDead = random.nextBoolean();
        node.proxy().goDead();
        return () -> {
            if (staysDead) {
                cluster.pause(cluster.timing().ttl());
            }
            node.proxy().heal();
        };
    }
}
