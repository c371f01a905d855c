package dev.jobqueue.dashboard;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Keeps answers for a moment, so that the same question of many pages costs as much as that of one. What took long is
 * kept longer, so that no question keeps the database busy for more than a twentieth of the time.
 */
final class RecentAnswers {

    private static final int MOST = 200;

    /** The longest an answer is kept, whatever age a page accepts. */
    private static final Duration LONGEST = Duration.ofSeconds(10);

    private static final int TIMES = 20;
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(4);

    private static final class Kept {
        final CompletableFuture<byte[]> answer = new CompletableFuture<>();
        final long at = System.nanoTime();
        volatile long took;
    }

    private final long nanos;
    private final Map<String, Kept> kept = new LinkedHashMap<>();

    RecentAnswers(Duration howLong) {
        this.nanos = howLong.toNanos();
    }

    /** How long an answer is kept that took so many nanoseconds. */
    static long pauseAfter(long took, long least) {
        return Math.max(least, Math.min(LONGEST_PAUSE.toNanos(), took * TIMES));
    }

    /**
     * The answer of a moment ago, or a new one. Whoever asks meanwhile waits for the same.
     *
     * @param patience how old the answer may be, where that is more than a moment
     */
    byte[] get(String question, Duration patience, Supplier<byte[]> source) {
        Kept mine = new Kept();
        Kept found = reserve(question, mine, Math.max(nanos, patience.toNanos()));
        if (found == mine) {
            try {
                mine.answer.complete(source.get());
                mine.took = System.nanoTime() - mine.at;
            } catch (RuntimeException | Error ex) {
                // an Error too: who asks the same meanwhile must not wait for ever
                mine.answer.completeExceptionally(ex);
                remove(question, mine);
                throw ex;
            }
        }
        try {
            return found.answer.join();
        } catch (CompletionException ex) {
            if (ex.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw ex;
        }
    }

    private synchronized Kept reserve(String question, Kept mine, long age) {
        kept.values().removeIf(each -> each.answer.isDone() && mine.at - each.at > Math.max(nanos, LONGEST.toNanos()));
        @Nullable Kept found = kept.get(question);
        if (found != null && (!found.answer.isDone() || mine.at - found.at <= pauseAfter(found.took, age))) {
            return found;
        }
        kept.remove(question);
        if (kept.size() < MOST) {
            kept.put(question, mine);
        }
        return mine;
    }

    private synchronized void remove(String question, Kept answer) {
        kept.remove(question, answer);
    }

    /** Somebody has changed something. */
    synchronized void forget() {
        kept.clear();
    }
}
