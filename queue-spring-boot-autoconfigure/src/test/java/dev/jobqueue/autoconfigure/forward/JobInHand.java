package dev.jobqueue.autoconfigure.forward;

import dev.jobqueue.Forward;
import dev.jobqueue.JobContext;
import dev.jobqueue.spi.BundledJob;
import java.lang.reflect.Proxy;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A job of a batch that remembers what became of it. */
final class JobInHand implements BundledJob<String> {

    final UUID id = UUID.randomUUID();
    final List<String> stages = new ArrayList<>();
    private final String payload;
    private volatile String end = "open";
    private volatile @Nullable Throwable error;

    JobInHand(String payload) {
        this.payload = payload;
    }

    /** A message of a lane. */
    static JobInHand ordered(String topic, String key, String text) {
        return new JobInHand("{\"topic\": \"%s\", \"key\": \"%s\", \"text\": \"%s\", \"lane\": \"%1$s %2$s\"}"
                .formatted(topic, key, text));
    }

    static JobInHand unordered(String topic, String text) {
        return new JobInHand("{\"topic\": \"%s\", \"text\": \"%s\"}".formatted(topic, text));
    }

    /** How it ended: open, complete, fail, put back, lost. */
    String end() {
        return end;
    }

    @Nullable
    Throwable error() {
        return error;
    }

    /** The same job, claimed again. */
    void comeAgain() {
        end = "open";
    }

    /** Cancelled, or taken by another node. */
    void lose() {
        end("lost");
    }

    private synchronized boolean end(String how) {
        if (!isOpen()) {
            return false;
        }
        end = how;
        return true;
    }

    @Override
    public String payload() {
        return payload;
    }

    @Override
    public JobContext context() {
        ClassLoader loader = getClass().getClassLoader();
        return (JobContext) Proxy.newProxyInstance(
                loader, new Class<?>[] {JobContext.class}, (proxy, method, arguments) -> switch (method.getName()) {
                    case "id" -> id;
                    case "type", "queue" -> Forward.KAFKA;
                    case "headers" -> Map.of("traceparent", "00-1-2-01", "tenant", "secret");
                    case "createdAt" -> Instant.parse("2026-11-01T10:00:00Z");
                    case "progress" -> {
                        stages.add(String.valueOf(arguments[1]));
                        yield null;
                    }
                    default -> throw new UnsupportedOperationException(method.getName());
                });
    }

    @Override
    public boolean complete(@Nullable Object result) {
        return end("complete");
    }

    @Override
    public boolean fail(Throwable cause) {
        error = cause;
        return end("fail");
    }

    @Override
    public boolean release() {
        return end("put back");
    }

    @Override
    public boolean isOpen() {
        return end.equals("open");
    }
}
