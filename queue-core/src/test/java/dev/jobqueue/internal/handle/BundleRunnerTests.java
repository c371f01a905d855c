package dev.jobqueue.internal.handle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.fasterxml.jackson.annotation.JsonValue;
import dev.jobqueue.internal.handle.RunningJob.Stop;
import java.util.List;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.LoggerFactory;

@Timeout(60)
class BundleRunnerTests {

    private final BundleFixture bundles = new BundleFixture();
    private final Logger logger = (Logger) LoggerFactory.getLogger(BundleRunner.class);
    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();

    @BeforeEach
    void listen() {
        lines.start();
        logger.addAppender(lines);
    }

    @AfterEach
    void stop() {
        bundles.close();
        logger.detachAppender(lines);
    }

    @Test
    void endsOnlyTheJobWhosePayloadThrowsAnError() {
        bundles.runner.run(bundles.apart(1, 66, 3));
        assertThat(bundles.handled).containsExactly(1, 3);
        assertThat(bundles.ends()).containsExactly("Threw 66", "Completed 1", "Completed 3");
    }

    @Test
    void endsEachJobThoughTheErrorCannotBeDescribed() {
        bundles.handler = jobs -> {
            throw new Indescribable();
        };
        bundles.runner.run(bundles.apart(1, 2));
        assertThat(bundles.ends()).containsExactly("Threw 1", "Threw 2");
    }

    /** As when there is no memory to tell of one of them. */
    @Test
    void endsTheOthersWhateverBecomesOfOne() {
        bundles.handler = jobs -> {};
        List<BundledRun> jobs = bundles.apart(1, 2, 3);
        BundleRunner failing =
                new BundleRunner(bundles.setup, new JobRunner(bundles.setup, bundles.told::add), outcome -> {
                    if (outcome.job() == jobs.get(0)) {
                        throw new OutOfMemoryError("on purpose");
                    }
                    bundles.told.add(outcome);
                });
        assertThatThrownBy(() -> failing.run(jobs)).isInstanceOf(OutOfMemoryError.class);
        assertThat(bundles.ends()).containsExactly("Threw 2", "Threw 3");
    }

    @Test
    void endsAJobWhoseResultThrowsAnError() {
        bundles.handler =
                jobs -> assertThat(jobs.get(0).complete(new Unwritable())).isTrue();
        bundles.runner.run(bundles.apart(1));
        assertThat(bundles.ends()).containsExactly("Threw 1");
    }

    @Test
    void keepsNoPayloadWhenTheHandlerHasReturned() {
        List<BundledRun> jobs = bundles.apart("{\"number\": 1, \"filler\": \"%s\"}".formatted("x".repeat(5_000)));
        bundles.runner.run(jobs);
        assertThat(bundles.ends()).containsExactly("Completed 0");
        assertThat(jobs.get(0).payload()).isNull();
        assertThat(jobs.get(0).bytes()).isZero();
        assertThat(jobs.get(0).ran()).isPositive();
    }

    @Test
    void warnsOfAHandlerThatThrowsAfterItsLastJob() {
        bundles.handler = jobs -> {
            jobs.forEach(bundles::complete);
            throw new IllegalStateException("a bug");
        };
        bundles.runner.run(bundles.apart(1, 2));
        assertThat(lines.list)
                .filteredOn(line -> line.getLevel() == Level.WARN)
                .singleElement()
                .satisfies(line -> {
                    assertThat(line.getFormattedMessage()).contains("'some'");
                    assertThat(line.getThrowableProxy().getMessage()).isEqualTo("a bug");
                });
    }

    @Test
    void doesNotWarnOfWhatAnOpenJobTells() {
        bundles.handler = jobs -> {
            throw new IllegalStateException("on purpose");
        };
        bundles.runner.run(bundles.apart(1));
        assertThat(lines.list).isEmpty();
    }

    @Test
    void ignoresThoseWhoEndAJobAfterTheHandlerHasReturned() {
        bundles.handler = jobs -> {};
        List<BundledRun> jobs = bundles.apart(1);
        bundles.runner.run(jobs);
        assertThat(jobs.get(0).complete(null)).isFalse();
        assertThat(bundles.ends()).containsExactly("Threw 1");
    }

    /** The timer of the next bundle is as late as those of the bundle before. */
    @Test
    void givesBackAJobWhoseTimeIsUpBeforeItsTimerCame() {
        List<BundledRun> jobs = bundles.apart(1);
        ScheduledThreadPoolExecutor stuck = new ScheduledThreadPoolExecutor(1, task -> null);
        jobs.get(0).timeout(stuck.schedule(() -> {}, 0, TimeUnit.SECONDS));
        bundles.runner.run(jobs);
        stuck.shutdownNow();
        assertThat(bundles.handled).isEmpty();
        assertThat(bundles.ends()).containsExactly("Released 1");
    }

    @Test
    void isNotInterruptedForAJobThatHadEndedBefore() {
        List<BundledRun> jobs = bundles.apart(1);
        bundles.handler = some -> {
            some.forEach(bundles::complete);
            jobs.get(0).stop(Stop.LOST);
            assertThat(Thread.currentThread().isInterrupted()).isFalse();
        };
        bundles.runner.run(jobs);
        assertThat(lines.list).isEmpty();
    }

    /** A result that throws when it is written. */
    record Unwritable() {

        private static Object fail() {
            throw new StackOverflowError("on purpose");
        }

        @JsonValue
        Object value() {
            return fail();
        }
    }

    /** As with a full heap: nothing can be told of it. */
    @SuppressWarnings("serial")
    static final class Indescribable extends Error {

        @Override
        public String toString() {
            throw new OutOfMemoryError("on purpose");
        }

        @Override
        public String getMessage() {
            throw new OutOfMemoryError("on purpose");
        }
    }
}
