package dev.jobqueue.test.shop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.HandlerDefinition;
import dev.jobqueue.Job;
import dev.jobqueue.JobPublisher;
import dev.jobqueue.spi.BundledJob;
import dev.jobqueue.test.JobTest;
import dev.jobqueue.test.JobTester;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

/** A handler that takes many jobs at once gets them one by one in tests. */
@JobTest(Mailer.class)
@Import(BundleHandlersIntegrationTests.News.class)
class BundleHandlersIntegrationTests {

    @Autowired
    private JobTester jobs;

    @Autowired
    private JobPublisher publisher;

    @Autowired
    private Mailer mailer;

    @DynamicPropertySource
    static void database(DynamicPropertyRegistry registry) {
        KitDatabase.addTo(registry);
    }

    @BeforeEach
    void resetTheOutside() {
        mailer.reset();
    }

    @Test
    void endEachJobAsTheySay() {
        publisher.publishAll(Stream.of("good", "bad", "open")
                .map(text -> Job.of("news", text))
                .toList());
        assertThat(jobs.drain()).isEqualTo(3);
        assertThat(mailer.mails).containsExactly("[good]", "[bad]", "[open]");
        assertThat(jobs).completed("news").once().withPayload("good");
        assertThat(jobs).scheduled("news").times(2);
    }

    @Test
    void putJobsBackWithoutAnAttempt() {
        mailer.failNext(3);
        publisher.publish(Job.of("news", "later"));
        assertThat(jobs.drain()).isEqualTo(4);
        assertThat(jobs).completed("news").afterAttempts(1);
    }

    @Test
    void areCalledAgainWhenTheNodeDied() {
        jobs.crashAfter("step");
        publisher.publish(Job.of("news", "step"));
        jobs.drain();
        assertThat(jobs).completed("news").afterAttempts(2);
        assertThat(mailer.mails).containsExactly("[step]", "[step]");
    }

    static final class News {

        @Bean
        static HandlerDefinition news(Mailer mailer) {
            return HandlerDefinition.ofBundle("news", String.class, bundle -> send(bundle, mailer), 10);
        }

        private static void send(List<BundledJob<String>> bundle, Mailer mailer) throws Exception {
            try {
                mailer.send(bundle.stream().map(BundledJob::payload).toList().toString());
            } catch (IllegalStateException ex) {
                bundle.forEach(BundledJob::release);
            }
            for (BundledJob<String> job : bundle) {
                switch (job.payload()) {
                    case "bad" -> job.fail(new IllegalStateException("on purpose"));
                    case "open" -> job.context().log("left open");
                    case "step" -> {
                        job.context().step("step", String.class, () -> "done");
                        job.complete(null);
                    }
                    default -> job.complete(null);
                }
            }
        }
    }
}
