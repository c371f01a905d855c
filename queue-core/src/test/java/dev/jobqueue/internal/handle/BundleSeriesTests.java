package dev.jobqueue.internal.handle;

import static dev.jobqueue.internal.node.LocalNode.awaiting;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.PermanentJobException;
import dev.jobqueue.RateLimitedException;
import dev.jobqueue.internal.handle.BundleFixture.Payload;
import dev.jobqueue.internal.handle.BundledRun.Series;
import dev.jobqueue.internal.handle.RunningJob.Stop;
import dev.jobqueue.internal.settle.Outcome;
import dev.jobqueue.spi.BundledJob;
import dev.jobqueue.spi.JobEnding;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Jobs of a FIFO lane that one claim brought, in bundles of five and two. */
@Timeout(60)
class BundleSeriesTests {

    private final BundleFixture bundles = new BundleFixture();
    private final Series series = new Series();
    private final List<BundledRun> first = inSeries(1, 2, 3, 4, 5);
    private final List<BundledRun> second = inSeries(6, 7);

    @Test
    void goesOnWhileJobsAreCompletedOrCancelled() {
        bundles.handler = jobs -> {
            first.get(1).stop(Stop.CANCELLED);
            jobs.forEach(bundles::complete);
        };
        runBoth();
        assertThat(bundles.handled).containsExactly(1, 3, 4, 5, 6, 7);
        assertThat(bundles.ends()).contains("Cancelled 2").hasSize(7);
    }

    @Test
    void goesNotPastAJobThatFails() {
        breakThird(job -> job.fail(new IllegalStateException()), "Threw 3");
    }

    @Test
    void goesNotPastAJobThatIsReleased() {
        breakThird(BundledJob::release, "Released 3");
    }

    @Test
    void goesNotPastAJobThatIsSnoozed() {
        breakThird(
                job -> {
                    job.context().snooze(Duration.ofDays(1));
                    job.complete(null);
                },
                "Snoozed 3");
    }

    @Test
    void goesNotPastAJobThatIsRateLimited() {
        breakThird(job -> job.fail(new RateLimitedException(Duration.ofDays(1))), "RateLimited 3");
    }

    @Test
    void goesNotPastAJobWhoseResultCannotBeStored() {
        breakThird(job -> job.complete("x".repeat(9_000_000)), "Threw 3");
    }

    @Test
    void goesNotPastAJobWhoseLeaseIsLost() {
        breakThird(job -> first.get(2).stop(Stop.LOST), "Gone 3");
    }

    @Test
    void goesNotPastAJobThatTimesOut() {
        breakThird(job -> first.get(2).expire(), null);
    }

    @Test
    void goesNotPastAJobThatTimedOutInTheBuffer() {
        first.get(2).expire();
        breakThird(job -> assertThat(false).isTrue(), null);
    }

    @Test
    void goesNotPastAnUnreadablePayload() {
        bundles.runner.run(inSeries(1, 77, 3));
        assertThat(bundles.handled).containsExactly(1);
        assertThat(bundles.ends()).containsExactlyInAnyOrder("Threw 77", "Released 3", "Completed 1");
    }

    @Test
    void countsOneAttemptIfTheHandlerThrows() {
        bundles.handler = jobs -> {
            bundles.complete(jobs.get(0));
            throw new PermanentJobException("all of them");
        };
        runBoth();
        assertThat(bundles.ends())
                .containsExactly(
                        "Completed 1", "Threw 2", "Released 3", "Released 4", "Released 5", "Released 6", "Released 7");
    }

    @Test
    void leavesAnotherSeriesAlone() {
        Series other = new Series();
        List<BundledRun> jobs = new ArrayList<>(inSeries(1, 2));
        jobs.add(bundles.job(other, "{\"number\": 8}", 8));
        jobs.add(bundles.job(new Series(), "{\"number\": 9}", 9));
        bundles.handler = some -> {
            some.get(0).fail(new IllegalStateException());
            some.forEach(bundles::complete);
        };
        bundles.runner.run(jobs);
        assertThat(bundles.handled).containsExactly(8, 9);
    }

    @Test
    void leavesThoseBeforeOpen() {
        bundles.handler = jobs -> {
            jobs.get(1).fail(new IllegalStateException());
            assertThat(jobs.get(0).isOpen()).isTrue();
            bundles.complete(jobs.get(0));
        };
        bundles.runner.run(first);
        assertThat(bundles.ends()).containsExactly("Threw 2", "Released 3", "Released 4", "Released 5", "Completed 1");
    }

    /** As when somebody else has the job by now. */
    @Test
    void stopsWhereTheDatabaseRefusesAnEnd() {
        bundles.handler = jobs -> {
            bundles.complete(jobs.get(0));
            first.get(0).settled(JobEnding.LEASE_LOST);
            assertThat(jobs.subList(1, 5)).noneMatch(BundledJob::isOpen).noneMatch(job -> job.complete(null));
        };
        runBoth();
        assertThat(bundles.handled).containsExactly(1);
        assertThat(bundles.ends().subList(1, 7)).allMatch(end -> end.startsWith("Released"));
    }

    @Test
    void goesNotOnBesideACallThatIgnoredItsInterrupt() {
        CountDownLatch deaf = new CountDownLatch(1);
        bundles.handler = jobs -> {
            bundles.complete(jobs.get(0));
            while (deaf.getCount() > 0) {
                try {
                    deaf.await();
                } catch (InterruptedException ex) {
                    // ignored
                }
            }
        };
        CompletableFuture<Void> call = CompletableFuture.runAsync(() -> bundles.runner.run(first));
        awaiting().until(() -> bundles.handled.contains(1));
        first.get(1).expire();
        assertThat(first.get(1).thread()).as("it is interrupted for this one").isNotNull();
        bundles.runner.run(second);
        deaf.countDown();
        call.join();
        assertThat(bundles.handled).containsExactly(1);
        assertThat(bundles.ends())
                .contains("Released 3", "Released 6", "Released 7")
                .hasSize(6);
        assertThat(first.get(1).thread()).isNull();
    }

    private void breakThird(Consumer<BundledJob<Payload>> end, String expected) {
        bundles.handler = jobs -> {
            for (BundledJob<Payload> job : jobs) {
                if (job.payload().number() == 3) {
                    end.accept(job);
                    assertThat(job.isOpen()).isFalse();
                } else {
                    bundles.complete(job);
                }
            }
        };
        runBoth();
        assertThat(bundles.handled).containsExactly(1, 2);
        assertThat(bundles.ends())
                .containsExactlyInAnyOrderElementsOf(Stream.of(
                                "Completed 1",
                                "Completed 2",
                                expected,
                                "Released 4",
                                "Released 5",
                                "Released 6",
                                "Released 7")
                        .filter(Objects::nonNull)
                        .toList());
        assertThat(bundles.told)
                .filteredOn(Outcome.Released.class::isInstance)
                .allMatch(each -> ((Outcome.Released) each).notBegun());
    }

    private void runBoth() {
        bundles.runner.run(first);
        bundles.runner.run(second);
    }

    private List<BundledRun> inSeries(int... numbers) {
        return IntStream.of(numbers)
                .mapToObj(number -> bundles.job(series, "{\"number\": %d}".formatted(number), number))
                .toList();
    }

    @AfterEach
    void stop() {
        bundles.close();
    }
}
