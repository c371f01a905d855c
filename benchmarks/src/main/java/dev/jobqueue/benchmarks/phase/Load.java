package dev.jobqueue.benchmarks.phase;

import dev.jobqueue.benchmarks.subject.Raw.Client;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.LongAdder;

/** Clients that do the same again and again, each on a thread of its own. */
final class Load {

    private Load() {}

    static List<Client> same(int threads, Client client) {
        return Collections.nCopies(threads, client);
    }

    /**
     * What the clients did.
     *
     * @param perSecond after a warm-up that does not count
     * @param all with what they did in the warm-up
     */
    record Done(double perSecond, int all) {}

    static double perSecond(List<Client> clients, Duration warmUp, Duration sampling) throws Exception {
        return run(clients, warmUp, sampling).perSecond();
    }

    static Done run(List<Client> clients, Duration warmUp, Duration sampling) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(clients.size());
        LongAdder done = new LongAdder();
        LongAdder all = new LongAdder();
        long from = System.nanoTime() + warmUp.toNanos();
        long to = from + sampling.toNanos();
        try {
            List<Future<?>> running = new ArrayList<>();
            for (Client client : clients) {
                running.add(threads.submit(() -> {
                    while (System.nanoTime() - to < 0) {
                        int count = client.run();
                        all.add(count);
                        long now = System.nanoTime();
                        if (now - from > 0 && now - to < 0) {
                            done.add(count);
                        }
                    }
                    return null;
                }));
            }
            for (Future<?> each : running) {
                each.get();
            }
        } finally {
            threads.shutdown();
        }
        return new Done(done.sum() * 1e9 / sampling.toNanos(), all.intValue());
    }
}
