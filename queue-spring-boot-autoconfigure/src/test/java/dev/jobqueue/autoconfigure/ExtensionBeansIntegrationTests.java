package dev.jobqueue.autoconfigure;

import static dev.jobqueue.autoconfigure.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.HandlerDefinition;
import dev.jobqueue.Job;
import dev.jobqueue.JobContext;
import dev.jobqueue.JobPublisher;
import dev.jobqueue.JobState;
import dev.jobqueue.postgres.TestDatabase;
import dev.jobqueue.spi.JobEvent;
import dev.jobqueue.spi.JobInterceptor;
import dev.jobqueue.spi.JobListener;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;

class ExtensionBeansIntegrationTests {

    private static final List<String> CALLS = new CopyOnWriteArrayList<>();

    private static final TestDatabase database = TestDatabase.create();
    private static final JobRows rows = new JobRows(database);

    private final ApplicationContextRunner application = QueueApplication.on(database);
    private final ApplicationContextRunner publisher = application.withPropertyValues("queue.worker.enabled=false");

    @BeforeEach
    void forgetCalls() {
        CALLS.clear();
    }

    @Test
    void mayBelongToAParentContext() {
        new ApplicationContextRunner()
                .withUserConfiguration(Parent.class)
                .run(parent -> publisher
                        .withParent(parent)
                        .withUserConfiguration(Child.class)
                        .run(child -> {
                            child.getBean(JobPublisher.class).publish("mail", null);
                            assertThat(CALLS).startsWith("first", "second", "third");
                            await().untilAsserted(() -> assertThat(CALLS).contains("parent heard of 'mail'"));
                        }));
    }

    @Test
    void mayNeedThePublisher() {
        application
                .withBean(Follower.class)
                .withBean(Alarm.class)
                .withBean(
                        HandlerDefinition.class,
                        () -> HandlerDefinition.of("broken", Map.class, (payload, job) -> {
                            throw new IllegalStateException("on purpose");
                        }))
                .run(context -> {
                    context.getBean(JobPublisher.class)
                            .publish(Job.of("broken", null).maxAttempts(1));
                    rows.awaitCount(JobState.PENDING, "alarm", 1);
                    assertThat(rows.count(JobState.PENDING, "follow.up")).isEqualTo(1);
                });
    }

    @Test
    void hearOfWhatIsPublishedBeforeTheyAreThere() {
        publisher
                .withBean(Early.class)
                .withBean(Ears.class)
                .run(context -> await().untilAsserted(() -> assertThat(CALLS).contains("heard of 'early'")));
    }

    @Test
    void needNotBe() {
        application.run(context -> {
            context.getBean(JobPublisher.class).publish("mail", null);
            assertThat(context.getBean(QueueExtensions.class).all().events().followsJobs())
                    .isFalse();
        });
    }

    private static JobInterceptor named(String name) {
        return new JobInterceptor() {
            @Override
            public List<UUID> publish(List<Job> jobs, Publication next) {
                CALLS.add(name);
                return next.proceed(jobs);
            }
        };
    }

    @Configuration(proxyBeanMethods = false)
    static class Parent {

        @Bean
        @Order(2)
        JobInterceptor second() {
            return named("second");
        }

        @Bean
        JobListener parentListener() {
            return new JobListener() {
                @Override
                public void published(JobEvent.Published job) {
                    CALLS.add("parent heard of '%s'".formatted(job.type()));
                }
            };
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Child {

        @Bean
        @Order(3)
        JobInterceptor third() {
            return named("third");
        }

        @Bean
        @Order(1)
        JobInterceptor first() {
            return named("first");
        }
    }

    /** Publishes a job after each attempt that threw. */
    record Follower(JobPublisher jobs) implements JobInterceptor {

        @Override
        public @Nullable Object handle(JobContext job, Attempt next) throws Exception {
            try {
                return next.proceed();
            } finally {
                jobs.publish("follow.up", null);
            }
        }
    }

    /** Publishes a job for each one that is dead. */
    record Alarm(JobPublisher jobs) implements JobListener {

        @Override
        public void dead(JobEvent.Ended run) {
            jobs.publish("alarm", run.error());
        }
    }

    static class Ears implements JobListener {

        @Override
        public void published(JobEvent.Published job) {
            CALLS.add("heard of '%s'".formatted(job.type()));
        }
    }

    record Early(JobPublisher jobs) implements InitializingBean {

        @Override
        public void afterPropertiesSet() {
            jobs.publish("early", null);
        }
    }
}
