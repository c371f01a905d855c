package dev.jobqueue.test.shop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import dev.jobqueue.JobPublisher;
import dev.jobqueue.test.JobTest;
import dev.jobqueue.test.JobTester;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import org.springframework.test.context.TestPropertySource;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

/** Test classes of a user, run by JUnit as their build would. */
class TestRunsIntegrationTests {

    /** They share one application context. */
    @JobTest({Orders.class, Mailer.class, ShopHandlers.class})
    abstract static class Shop {

        @Autowired
        JobTester jobs;

        @Autowired
        JobPublisher publisher;

        @DynamicPropertySource
        static void database(DynamicPropertyRegistry registry) {
            KitDatabase.addTo(registry);
        }

        /** Sees the jobs of no other test, and another time than they do. */
        void liveThroughADay(Duration offset) {
            Instant began = Instant.now().plus(offset);
            jobs.setTime(began);
            for (int i = 0; i < 5; i++) {
                publisher.publish("order.shipped", i);
            }
            assertThat(jobs.drain("order.shipped")).isEqualTo(5);
            jobs.advance(Duration.ofHours(1));
            assertThat(jobs)
                    .published("order.shipped")
                    .matching(
                            "have the time of this test",
                            job -> Duration.between(began, job.createdAt())
                                            .abs()
                                            .toMinutes()
                                    < 10)
                    .times(5);
            assertThat(Duration.between(began.plus(Duration.ofHours(1)), jobs.now())
                            .toMinutes())
                    .isLessThan(10);
        }
    }

    static class Years extends Shop {

        @RepeatedTest(5)
        @Execution(ExecutionMode.CONCURRENT)
        void later() {
            liveThroughADay(Duration.ofDays(400));
        }

        @RepeatedTest(5)
        @Execution(ExecutionMode.CONCURRENT)
        void earlier() {
            liveThroughADay(Duration.ofDays(-400));
        }
    }

    static class Days extends Shop {

        @RepeatedTest(5)
        @Execution(ExecutionMode.CONCURRENT)
        void now() {
            liveThroughADay(Duration.ZERO);
        }
    }

    /** Has an application context of its own. */
    @TestPropertySource(properties = "another.context=true")
    static class Weeks extends Shop {

        @RepeatedTest(5)
        @DirtiesContext
        void later() {
            liveThroughADay(Duration.ofDays(21));
        }
    }

    static class Nightly extends Shop {

        @Autowired
        Mailer mailer;

        @Test
        void tidies() {
            mailer.reset();
            jobs.advance(Duration.ofDays(2));
            assertThat(mailer.mails).hasSize(2);
        }
    }

    static class NightlyAgain extends Nightly {}

    /** The same application without its schedule. */
    @JobTest(CustomerHandlers.class)
    static class WithoutSchedules {

        @Autowired
        JobTester jobs;

        @DynamicPropertySource
        static void database(DynamicPropertyRegistry registry) {
            KitDatabase.addTo(registry);
        }

        @Test
        void doNothing() {
            jobs.advance(Duration.ofDays(2));
            assertThat(jobs).nothingPublished();
        }
    }

    /** No scan finds it. */
    static class Stray {}

    @JobTest(Stray.class)
    static class OfAStray {

        @DynamicPropertySource
        static void database(DynamicPropertyRegistry registry) {
            KitDatabase.addTo(registry);
        }

        @Test
        void doNothing() {}
    }

    static class Armed extends Shop {

        @Test
        void crashes() {
            jobs.crashAfter("render");
            jobs.runNext();
        }

        @Test
        @Transactional(propagation = Propagation.NOT_SUPPORTED)
        void loses() {
            jobs.loseLease();
        }

        @Test
        void failsForAnotherReason() {
            jobs.crashAfter("render");
            throw new IllegalStateException("its own");
        }
    }

    @Test
    void mayBeParallelOnOneDatabase() {
        TestExecutionSummary summary = run(true, Years.class, Days.class, Weeks.class);
        assertThat(summary.getFailures()).isEmpty();
        assertThat(summary.getTestsSucceededCount()).isEqualTo(20);
    }

    @Test
    void failIfAFaultNeverHappened() {
        List<String> messages = run(false, Armed.class).getFailures().stream()
                .map(failure -> failure.getException().getMessage())
                .toList();
        assertThat(messages)
                .containsExactlyInAnyOrder(
                        "The node was to die after step 'render', but no attempt finished it: there were no steps.",
                        "A job was to lose its lease, but no handler began.",
                        "its own");
    }

    @Test
    void failIfAComponentThatTheyNameIsNotThere() {
        assertThat(run(false, OfAStray.class).getFailures())
                .singleElement()
                .satisfies(failure -> assertThat(failure.getException())
                        .hasMessageStartingWith("@JobTest names '" + Stray.class.getName() + "'")
                        .hasMessageContaining("@Import"));
    }

    @Test
    void findTheirOwnSchedulesAfterOtherClasses() {
        assertThat(run(false, Nightly.class, WithoutSchedules.class, NightlyAgain.class)
                        .getFailures())
                .isEmpty();
    }

    private static TestExecutionSummary run(boolean parallel, Class<?>... classes) {
        LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request()
                .selectors(Stream.of(classes)
                        .map(each -> (DiscoverySelector) selectClass(each))
                        .toList())
                .configurationParameter("junit.jupiter.execution.parallel.enabled", String.valueOf(parallel))
                .configurationParameter("junit.jupiter.execution.parallel.mode.classes.default", "concurrent")
                .configurationParameter("junit.jupiter.execution.parallel.config.strategy", "fixed")
                .configurationParameter("junit.jupiter.execution.parallel.config.fixed.parallelism", "4")
                .build();
        SummaryGeneratingListener summary = new SummaryGeneratingListener();
        LauncherFactory.create().execute(request, summary);
        return summary.getSummary();
    }
}
