package dev.jobqueue.survival;

import dev.jobqueue.JobContext;
import dev.jobqueue.JobHandler;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import tools.jackson.databind.JsonNode;

class HostileHandlers {

    /** SQL, quotes, placeholders and what else a template might fall for. */
    static final String SQL = "x'); DROP TABLE queue.job; -- \" $$ {} % _ \\ :name ? ${y} #{z}";

    private final CountDownLatch release = new CountDownLatch(1);
    private final AtomicReference<JsonNode> seen = new AtomicReference<>();

    JsonNode seen() {
        return seen.get();
    }

    void release() {
        release.countDown();
    }

    @JobHandler("echo")
    JsonNode echo(JsonNode payload) {
        seen.set(payload);
        return payload;
    }

    @JobHandler(value = SQL, queue = SQL, maxAttempts = 1)
    Map<String, String> sql(Map<String, String> payload, JobContext job) throws Exception {
        job.progress(50, SQL);
        job.log(SQL);
        job.step(SQL, String.class, () -> SQL);
        if (payload.containsKey("throw")) {
            throw new IllegalStateException(SQL);
        }
        return Map.of(SQL, SQL + job.headers().get(SQL));
    }

    @JobHandler(value = "nul", maxAttempts = 1)
    String nul(Map<String, String> payload) {
        if (payload.containsKey("throw")) {
            throw new IllegalStateException("a\0b");
        }
        return "a\0b";
    }

    @JobHandler("half")
    String half() {
        return "cut\ud83d";
    }

    @JobHandler(value = "shaped", maxAttempts = 3, backoff = "100ms")
    int shaped(Shape shape) {
        return shape.size();
    }

    @JobHandler(value = "error", maxAttempts = 2, backoff = "100ms")
    void error(Map<String, String> payload) {
        switch (payload.get("kind")) {
            case "assertion" -> throw new AssertionError("on purpose");
            case "memory" -> throw new OutOfMemoryError("on purpose");
            case "linkage" -> throw new NoClassDefFoundError("on purpose");
            default -> overflow(0);
        }
    }

    @SuppressWarnings("InfiniteRecursion")
    private static int overflow(int depth) {
        return overflow(depth + 1) + 1;
    }

    /** Does not even let itself be interrupted. */
    @JobHandler(value = "endless", queue = "endless", timeout = "300ms", maxAttempts = 2, backoff = "100ms")
    void endless() {
        while (release.getCount() > 0) {
            try {
                release.await();
            } catch (InterruptedException ex) {
                // no
            }
        }
    }

    record Shape(String name, int size) {}
}
