package dev.jobqueue.internal.concurrency;

import dev.jobqueue.postgres.TestDatabase;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** Lets many sessions, each on its own thread, do the same at the same moment. */
final class Race {

    private static final long LIMIT_SECONDS = 120;

    private Race() {}

    /** Returns what each of them returned; throws what the first of them threw. */
    static <T> List<T> run(TestDatabase database, int sessions, Runner<T> runner) throws Exception {
        CyclicBarrier start = new CyclicBarrier(sessions);
        ExecutorService threads = Executors.newFixedThreadPool(sessions);
        try {
            List<Future<T>> futures = new ArrayList<>();
            for (int i = 0; i < sessions; i++) {
                int number = i;
                futures.add(threads.submit(() -> {
                    try (Session session = Session.open(database)) {
                        start.await(LIMIT_SECONDS, TimeUnit.SECONDS);
                        return runner.run(session, number);
                    }
                }));
            }
            List<T> results = new ArrayList<>();
            for (Future<T> future : futures) {
                results.add(future.get(LIMIT_SECONDS, TimeUnit.SECONDS));
            }
            return results;
        } finally {
            threads.shutdownNow();
        }
    }

    /** What one session does. */
    @FunctionalInterface
    interface Runner<T> {
        T run(Session session, int number) throws Exception;
    }
}
