package dev.jobqueue.internal.slot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.internal.handle.BundledRun;
import dev.jobqueue.internal.handle.ClaimedJobs;
import dev.jobqueue.internal.handle.RunningJob;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class JobBufferTests {

    private final JobBuffer buffer = new JobBuffer();

    @Test
    void givesABatchTheJobsOfItsTypeThatDirectlyFollow() {
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
    void givesABatchNoMoreThanItsHandlerTakes() {
        buffer.addAll(
                Stream.of("a", "a", "a", "a", "a").map(JobBufferTests::job).toList());
        assertThat(bundle()).hasSize(4);
        assertThat(bundle()).hasSize(1);
    }

    private List<BundledRun> bundle() {
        return buffer.pollLike((BundledRun) buffer.pollFirst());
    }

    /** Without the tools of a handler, for none is called. */
    private static RunningJob job(String type) {
        return new BundledRun(ClaimedJobs.job(type), 4, null, RunningJob.Hooks.NONE);
    }
}
