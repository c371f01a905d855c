package dev.jobqueue.autoconfigure.health;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

/**
 * Makes a call on a thread of its own and waits no longer than the timeout, whatever the call hangs on. Callers that
 * come while a call is under way wait for the same call, so that at most one thread hangs.
 */
final class TimedCall<T> implements AutoCloseable {

    private final Callable<T> call;
    private final Duration timeout;
    private final ThreadPoolExecutor executor;
    private @Nullable Future<T> underWay;

    TimedCall(String thread, Duration timeout, Callable<T> call) {
        this.call = call;
        this.timeout = timeout;
        CustomizableThreadFactory threads = new CustomizableThreadFactory(thread + "-");
        threads.setDaemon(true);
        this.executor = new ThreadPoolExecutor(1, 1, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), threads);
        this.executor.allowCoreThreadTimeOut(true);
    }

    T get() throws ExecutionException, TimeoutException, InterruptedException {
        return future().get(timeout.toMillis(), TimeUnit.MILLISECONDS);
    }

    private synchronized Future<T> future() {
        Future<T> current = underWay;
        if (current == null || current.isDone()) {
            current = executor.submit(call);
            underWay = current;
        }
        return current;
    }

    @Override
    public void close() {
        executor.shutdownNow();
    }
}
