package dev.jobqueue.survival.node;

import dev.jobqueue.Batch;
import dev.jobqueue.Flow;
import dev.jobqueue.Job;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Stream;

/** Jobs as they come: mostly short, some long enough to outlive the fault that hits their worker, some doomed. */
final class Draft {

    private static final int LONG_MILLIS = 2_000;
    private static final int SHORT_MILLIS = 150;

    private Draft() {}

    static Job any(UUID id) {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        Job any = Job.of(type(random), new Work(millis(random), false)).id(id).priority(random.nextInt(3));
        Job job = random.nextInt(4) == 0 ? any.limit("survival", "key-" + random.nextInt(4)) : any;
        return random.nextInt(10) == 0 ? job.delay(Duration.ofMillis(random.nextInt(3_000))) : job;
    }

    static Job generated() {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        return Job.of(type(random), new Work(millis(random), true));
    }

    static Batch batch() {
        return Batch.of("survival")
                .add(Stream.generate(Draft::generated).limit(10))
                .onFinish(Job.of("plain", new Work(1, true)));
    }

    /** Steps after each other and beside each other. */
    static Flow flow() {
        return Flow.of("survival")
                .step("first", generated())
                .each("middle", List.of(1, 2, 3), item -> generated())
                .after("first")
                .timer("pause", Duration.ofMillis(200))
                .after("first")
                .step("last", generated())
                .after("middle", "pause")
                .compensate("first", Job.of("plain", new Work(1, true)))
                .onFinish(Job.of("plain", new Work(1, true)));
    }

    static UUID id(Job job) {
        return Objects.requireNonNull(job.id());
    }

    private static String type(ThreadLocalRandom random) {
        int choice = random.nextInt(100);
        if (choice < 60) {
            return "plain";
        }
        if (choice < 93) {
            return "transactional";
        }
        return choice < 98 ? "flaky" : "doomed";
    }

    private static int millis(ThreadLocalRandom random) {
        return random.nextInt(100) < 15 ? LONG_MILLIS + random.nextInt(SHORT_MILLIS) : random.nextInt(SHORT_MILLIS);
    }
}
