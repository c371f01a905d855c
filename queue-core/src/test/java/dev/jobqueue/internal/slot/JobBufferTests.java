package dev.jobqueue.internal.slot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.internal.handle.BundledRun;
import dev.jobqueue.internal.handle.ClaimedJobs;
import dev.jobqueue.internal.handle.HandlingSetup;
import dev.jobqueue.internal.handle.RunningJob;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class JobBufferTests {

    private final JobBuffer buffer = new JobBuffer(1_000);

    @Test
    void givesABundleTheJobsOfItsTypeThatDirectlyFollow() {
        List<RunningJob> jobs =
                Stream.of("a", "a", "a", "b", "a").map(JobBufferTests::job).toList();
        buffer.addAll(jobs);
        assertThat(bundle()).isEqualTo(jobs.subList(0, 3));
        assertThat(buffer.size()).isEqualTo(2);
        assertThat(bundle()).isEqualTo(jobs.subList(3, 4));
        assertThat(bundle()).isEqualTo(jobs.subList(4, 5));
        assertThat(buffer.bytes()).isZero();
    }

    @Test
    void givesABundleNoMoreThanItsHandlerTakes() {
        buffer.addAll(
                Stream.of("a", "a", "a", "a", "a").map(JobBufferTests::job).toList());
        assertThat(bundle()).hasSize(4);
        assertThat(bundle()).hasSize(1);
    }

    @Test
    void givesABundleNoMoreBytesThanWaitAtOnce() {
        String large = "x".repeat(400);
        buffer.addAll(Stream.generate(() -> job("a", large)).limit(3).toList());
        assertThat(bundle()).hasSize(2);
        buffer.addAll(Stream.of(job("a", "x".repeat(5_000))).toList());
        assertThat(bundle()).hasSize(1);
        assertThat(bundle()).as("one that is larger alone").hasSize(1);
    }

    private List<BundledRun> bundle() {
        return buffer.pollLike((BundledRun) buffer.pollFirst());
    }

    /** Without the tools of a handler, for none is called. */
    private static RunningJob job(String type) {
        return job(type, "{}");
    }

    static RunningJob job(String type, String payload) {
        return new BundledRun(
                ClaimedJobs.job(type, "default", payload, null, null),
                4,
                new BundledRun.Series(),
                null,
                HandlingSetup.Hooks.NONE);
    }
}
