package dev.jobqueue.autoconfigure.forward;

import dev.jobqueue.Forward;
import dev.jobqueue.JobContext;
import dev.jobqueue.spi.BundledJob;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A job of a bundle that remembers what became of it. */
final class JobInHand implements BundledJob<String> {

    final UUID id = UUID.randomUUID();
    final List<String> stages = new ArrayList<>();
    private final String payload;
    private final List<JobInHand> behind = new ArrayList<>();
    private String queue = Forward.KAFKA;
    private @Nullable Long lane;
    private volatile @Nullable Duration snooze;
    private volatile String end = "open";
    private volatile @Nullable Throwable error;
    private @Nullable Error hurt;

    JobInHand(String payload) {
        this.payload = payload;
    }

    /** A message of a lane. */
    static JobInHand ordered(String topic, String key, String text) {
        return new JobInHand("{\"topic\": \"%s\", \"key\": \"%s\", \"text\": \"%s\"}".formatted(topic, key, text))
                .inLane((long) (topic + " " + key).hashCode());
    }

    /** Messages of one lane, see {@link #series(JobInHand...)}. */
    static JobInHand[] series(String topic, String key, String... texts) {
        return series(
                Arrays.stream(texts).map(text -> ordered(topic, key, text)).toArray(JobInHand[]::new));
    }

    /** Jobs of one lane that came with one claim: what is behind a break is given back by the core. */
    static JobInHand[] series(JobInHand... jobs) {
        for (int i = 0; i < jobs.length; i++) {
            jobs[i].behind.addAll(Arrays.asList(jobs).subList(i + 1, jobs.length));
        }
        return jobs;
    }

    /** Claimed again, as often as they are given back. */
    static void handleAll(Forwarder forwarder, JobInHand... jobs) throws InterruptedException {
        handleUntil(forwarder, List.of("complete"), jobs);
    }

    /** Claimed again until each has one of the ends. */
    static void handleUntil(Forwarder forwarder, List<String> ends, JobInHand... jobs) throws InterruptedException {
        List<JobInHand> left = List.of(jobs);
        while (!left.isEmpty()) {
            left.forEach(JobInHand::comeAgain);
            forwarder.handle(List.copyOf(left));
            left = left.stream().filter(job -> !ends.contains(job.end())).toList();
        }
    }

    JobInHand inLane(@Nullable Long number) {
        lane = number;
        return this;
    }

    /** The same job in a queue of the application. */
    JobInHand inQueue(String name) {
        queue = name;
        return this;
    }

    /** The same job with a payload that cannot be read. */
    JobInHand hurting(Error thrown) {
        hurt = thrown;
        return this;
    }

    static JobInHand unordered(String topic, String text) {
        return new JobInHand("{\"topic\": \"%s\", \"text\": \"%s\"}".formatted(topic, text));
    }

    /** Handles jobs on a thread of their own. */
    static Thread handling(Forwarder forwarder, JobInHand... jobs) {
        Thread thread = new Thread(() -> {
            try {
                forwarder.handle(List.of(jobs));
            } catch (InterruptedException ex) {
                Thread.currentThread().interrupt();
            }
        });
        thread.start();
        return thread;
    }

    /** How it ended: open, complete, fail, snoozed, put back, cancelled, lost. */
    String end() {
        return end;
    }

    @Nullable
    Throwable error() {
        return error;
    }

    /** The same job, claimed again. */
    void comeAgain() {
        snooze = null;
        end = "open";
    }

    /** Taken by another node. */
    void lose() {
        end("lost");
    }

    void cancel() {
        end("cancelled");
    }

    private synchronized boolean end(String how) {
        if (!isOpen()) {
            return false;
        }
        end = how;
        if (!how.equals("complete") && !how.equals("cancelled")) {
            behind.forEach(JobInHand::release);
        }
        return true;
    }

    @Override
    public String payload() {
        if (hurt != null) {
            throw hurt;
        }
        return payload;
    }

    @Override
    public JobContext context() {
        ClassLoader loader = getClass().getClassLoader();
        return (JobContext) Proxy.newProxyInstance(
                loader, new Class<?>[] {JobContext.class}, (proxy, method, arguments) -> switch (method.getName()) {
                    case "id" -> id;
                    case "type" -> Forward.KAFKA;
                    case "queue" -> queue;
                    case "snooze" -> {
                        snooze = (Duration) arguments[0];
                        yield null;
                    }
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
    public @Nullable Long lane() {
        return lane;
    }

    @Override
    public boolean complete(@Nullable Object result) {
        return end(snooze == null ? "complete" : "snoozed");
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
