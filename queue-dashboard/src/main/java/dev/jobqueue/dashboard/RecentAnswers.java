package dev.jobqueue.dashboard;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Keeps answers for a moment, so that the same question of many pages costs as much as that of one. */
final class RecentAnswers {

    private static final int MOST = 200;

    private record Kept(long at, CompletableFuture<byte[]> answer) {}

    private final long nanos;
    private final Map<String, Kept> kept = new LinkedHashMap<>();

    RecentAnswers(Duration howLong) {
        this.nanos = howLong.toNanos();
    }

    /** The answer of a moment ago, or a new one. Whoever asks meanwhile waits for the same. */
    byte[] get(String question, Supplier<byte[]> source) {
        CompletableFuture<byte[]> mine = new CompletableFuture<>();
        CompletableFuture<byte[]> answer = reserve(question, mine);
        if (answer == mine) {
            try {
                mine.complete(source.get());
            } catch (RuntimeException | Error ex) {
                // an Error too: who asks the same meanwhile must not wait for ever
                mine.completeExceptionally(ex);
                remove(question, mine);
                throw ex;
            }
        }
        try {
            return answer.join();
        } catch (CompletionException ex) {
            if (ex.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw ex;
        }
    }

    private synchronized CompletableFuture<byte[]> reserve(String question, CompletableFuture<byte[]> mine) {
        long now = System.nanoTime();
        kept.values().removeIf(each -> each.answer().isDone() && now - each.at() > nanos);
        @Nullable Kept found = kept.get(question);
        if (found != null) {
            return found.answer();
        }
        if (kept.size() < MOST) {
            kept.put(question, new Kept(now, mine));
        }
        return mine;
    }

    private synchronized void remove(String question, CompletableFuture<byte[]> answer) {
        Kept found = kept.get(question);
        if (found != null && found.answer() == answer) {
            kept.remove(question);
        }
    }

    /** Somebody has changed something. */
    synchronized void forget() {
        kept.clear();
    }
}
