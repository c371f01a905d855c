package dev.jobqueue.survival.fault;

import dev.jobqueue.survival.cluster.Cluster;
import dev.jobqueue.survival.cluster.Database;
import java.time.Duration;
import java.util.Random;

/** What happens to the server. */
final class ServerFaults {

    private ServerFaults() {}

    static Runnable terminateBackends(Cluster cluster, Random random) {
        cluster.database().terminateBackends(30 + random.nextInt(71), random.nextInt(1_000));
        return () -> {};
    }

    static Runnable restart(Cluster cluster, Random random) {
        cluster.database().restart();
        return () -> {};
    }

    static Runnable crash(Cluster cluster, Random random) {
        cluster.database().crash();
        return () -> {};
    }

    static Runnable makeReadOnly(Cluster cluster, Random random) {
        Database database = cluster.database();
        database.setReadOnly(true);
        cluster.pause(aWhile(random));
        return () -> database.setReadOnly(false);
    }

    static Runnable fillDisk(Cluster cluster, Random random) {
        Database database = cluster.database();
        database.setDiskFull(true);
        cluster.pause(aWhile(random));
        return () -> database.setDiskFull(false);
    }

    private static Duration aWhile(Random random) {
        return Duration.ofMillis(500 + random.nextInt(2_500));
    }
}
