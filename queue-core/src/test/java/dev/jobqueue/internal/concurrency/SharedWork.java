package dev.jobqueue.internal.concurrency;

import dev.jobqueue.Job;
import dev.jobqueue.OnConflict;
import dev.jobqueue.PublishResult;
import dev.jobqueue.internal.Uuids;
import dev.jobqueue.internal.publish.NewJob;
import dev.jobqueue.internal.publish.NewJobs;
import dev.jobqueue.internal.publish.UniqueRules;
import dev.jobqueue.internal.settle.JobLease;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What the sessions of a mixed load know of each other: claims of all of them, ids published, what happened how often.
 */
final class SharedWork {

    /** Few enough that sessions meet at the same claims, many enough that most are settled. */
    private static final int REMEMBERED_CLAIMS = 60;

    private final List<JobLease> claims = Collections.synchronizedList(new ArrayList<>());
    private final Set<UUID> published = ConcurrentHashMap.newKeySet();
    private final Map<String, Long> counts = new ConcurrentHashMap<>();
    private final Queue<String> surprises = new ConcurrentLinkedQueue<>();

    void publish(Session session, int count) {
        List<NewJob> jobs = Stream.generate(() -> NewJobs.of(Uuids.next(), "test", "{}"))
                .limit(count)
                .toList();
        published.addAll(session.publications.publish(jobs, true));
    }

    void addPublished(List<UUID> ids) {
        published.addAll(ids);
    }

    /** With one of few keys: where a live job has it already, that one's id comes back. */
    void publishWithKeys(Session session, Random random) {
        publishWithKeys(session, random, () -> UniqueRules.of(Job.of("test", null)));
    }

    /** The same, where the job that has the key is replaced or put off, or the key stays taken when it has ended. */
    void publishWithRules(Session session, Random random) {
        Duration delay = Duration.ofMillis(random.nextInt(20));
        List<Job> rules = List.of(
                Job.of("test", null).onConflict(OnConflict.REPLACE),
                Job.of("test", null).onConflict(OnConflict.POSTPONE),
                Job.of("test", null).debounce("key", delay, delay.plusMillis(20)),
                Job.of("test", null).debounceFirst("key", delay, delay.plusMillis(20)),
                Job.of("test", null).onConflict(OnConflict.REPLACE).uniqueFor(Duration.ofMillis(50)),
                Job.of("test", null).uniqueFor(Duration.ofMillis(50)));
        publishWithKeys(session, random, () -> UniqueRules.of(rules.get(random.nextInt(rules.size()))))
                .forEach(answer -> count(answer.outcome().name(), 1));
    }

    private List<PublishResult> publishWithKeys(Session session, Random random, Supplier<UniqueRules> rules) {
        List<NewJob> jobs = random.ints(5, 0, 20)
                .mapToObj(key -> NewJobs.with(Uuids.next(), "test", "{}")
                        .priority(key % 3)
                        .delay(random.nextBoolean() ? null : Duration.ofMillis(random.nextInt(10)))
                        .uniqueKey("key" + key)
                        .uniqueRules(rules.get())
                        .build())
                .toList();
        List<PublishResult> answers = session.publications.publishWithOutcome(jobs, true, null);
        answers.forEach(answer -> published.add(answer.id()));
        return answers;
    }

    void add(List<JobLease> claimed) {
        claims.addAll(claimed);
        synchronized (claims) {
            if (claims.size() > REMEMBERED_CLAIMS) {
                claims.subList(0, claims.size() - REMEMBERED_CLAIMS).clear();
            }
        }
    }

    /** Some claims in no order, of whichever session; others may be settling the same ones. */
    List<JobLease> some(Random random, int limit) {
        List<JobLease> some;
        synchronized (claims) {
            some = new ArrayList<>(claims);
        }
        Collections.shuffle(some, random);
        return some.subList(0, Math.min(limit, some.size()));
    }

    void count(String kind, long times) {
        if (times > 0) {
            counts.merge(kind, times, Long::sum);
        }
    }

    void surprise(RuntimeException ex) {
        Throwable cause = ex.getCause() == null ? ex : ex.getCause();
        surprises.add(Stream.of(cause.getStackTrace())
                .filter(frame -> frame.getClassName().startsWith("dev.jobqueue"))
                .map(StackTraceElement::toString)
                .limit(3)
                .collect(Collectors.joining(" <- ", cause + " at ", "")));
    }

    Set<UUID> published() {
        return Set.copyOf(published);
    }

    Map<String, Long> counts() {
        return Map.copyOf(counts);
    }

    Queue<String> surprises() {
        return surprises;
    }
}
