package dev.jobqueue.dashboard.browser;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.JobState;
import dev.jobqueue.operate.JobFilter;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;

/** Waits for conditions outside of the browser, which has its own way. */
final class Waiting {

    private Waiting() {}

    private static ConditionFactory patiently() {
        return Awaitility.await().atMost(Duration.ofMillis(Browsing.PATIENCE));
    }

    static void until(BooleanSupplier condition) {
        patiently().until(condition::getAsBoolean);
    }

    /** Until so many jobs are in the state. */
    static void until(JobState state, long jobs, Shop shop) {
        patiently()
                .untilAsserted(() -> assertThat(
                                shop.operations().count(JobFilter.of(state)).jobs())
                        .as("%s jobs", state)
                        .isEqualTo(jobs));
    }
}
