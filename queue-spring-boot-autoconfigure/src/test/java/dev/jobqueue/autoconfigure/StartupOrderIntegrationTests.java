package dev.jobqueue.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.JobHandler;
import dev.jobqueue.JobPublisher;
import dev.jobqueue.JobState;
import dev.jobqueue.postgres.TestDatabase;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceInitializationAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.SmartLifecycle;

/** Migrations of the application, then those of the queue, then whatever the application starts, then the worker. */
class StartupOrderIntegrationTests {

    private final TestDatabase database = TestDatabase.create();
    private final ApplicationContextRunner application = QueueApplication.on(database)
            .withConfiguration(AutoConfigurations.of(DataSourceInitializationAutoConfiguration.class))
            .withPropertyValues(
                    "spring.sql.init.mode=always",
                    "spring.sql.init.schema-locations=classpath:dev/jobqueue/autoconfigure/application.sql")
            .withBean(Server.class);

    @Test
    void isThatOfTheirNeedsAndTheStopIsInReverse() {
        JobRows rows = new JobRows(database);
        Server[] server = new Server[1];
        application.run(context -> {
            assertThat(context).hasNotFailed();
            server[0] = context.getBean(Server.class);
            assertThat(rows.jdbc()
                            .sql("SELECT before_the_queue FROM application")
                            .query(Boolean.class)
                            .single())
                    .as("the application's own script ran before the schema of the queue was there")
                    .isTrue();
            assertThat(server[0].workedAtInit).isFalse();
            assertThat(server[0].workedAtStart).isFalse();
            UUID id = context.getBean(JobPublisher.class).publish("insert", null);
            rows.await(JobState.COMPLETED, id);
        });
        assertThat(server[0].workedAtStop).isFalse();
    }

    @Test
    void waitsForRunningJobsAndRunningRequestsAtTheSameTime() {
        Requests requests = new Requests();
        QueueApplication.on(database).withBean(Requests.class, () -> requests).run(context -> {
            context.getBean(JobPublisher.class).publish("long", null);
            Patience.await().until(() -> requests.jobRuns.getCount() == 0);
        });
        assertThat(requests.jobSawTheStop).isTrue();
    }

    /**
     * Stops in the phase of the web server's graceful shutdown: as soon as the job is done, which waits for the stop.
     */
    static class Requests implements SmartLifecycle {

        private final CountDownLatch jobRuns = new CountDownLatch(1);
        private final CountDownLatch stopping = new CountDownLatch(1);
        private volatile boolean jobSawTheStop;
        private volatile boolean running;

        @JobHandler("long")
        void handle() throws InterruptedException {
            jobRuns.countDown();
            jobSawTheStop = stopping.await(10, TimeUnit.SECONDS);
        }

        @Override
        public void start() {
            running = true;
        }

        @Override
        public void stop() {
            running = false;
            stopping.countDown();
        }

        @Override
        public boolean isRunning() {
            return running;
        }

        @Override
        public int getPhase() {
            return DEFAULT_PHASE - 1024;
        }
    }

    /** Starts and stops as the web server does, and sees whether the worker runs at that moment. */
    static class Server implements SmartLifecycle, SmartInitializingSingleton {

        private final ObjectProvider<WorkerLifecycle> worker;
        private boolean workedAtInit = true;
        private boolean workedAtStart = true;
        private boolean workedAtStop = true;
        private boolean running;

        Server(ObjectProvider<WorkerLifecycle> worker) {
            this.worker = worker;
        }

        @JobHandler("insert")
        void handle() {}

        @Override
        public void afterSingletonsInstantiated() {
            workedAtInit = worker.getObject().isRunning();
        }

        @Override
        public void start() {
            workedAtStart = worker.getObject().isRunning();
            running = true;
        }

        @Override
        public void stop() {
            workedAtStop = worker.getObject().isRunning();
            running = false;
        }

        @Override
        public boolean isRunning() {
            return running;
        }

        @Override
        public int getPhase() {
            return DEFAULT_PHASE - 2048;
        }
    }
}
