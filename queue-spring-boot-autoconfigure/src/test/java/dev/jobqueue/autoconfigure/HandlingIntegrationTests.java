package dev.jobqueue.autoconfigure;

import static dev.jobqueue.autoconfigure.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.JobContext;
import dev.jobqueue.JobHandler;
import dev.jobqueue.JobPublisher;
import dev.jobqueue.postgres.TestDatabase;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.jdbc.core.simple.JdbcClient;

class HandlingIntegrationTests {

    private final ApplicationContextRunner application =
            QueueApplication.on(TestDatabase.create()).withBean(Greetings.class);

    @Test
    void handlesAPublishedJobAndKeepsItsResult() {
        application.run(context -> {
            assertThat(context).hasNotFailed();
            UUID id = context.getBean(JobPublisher.class).publish(new Greeting("world"));
            JdbcClient jdbc = context.getBean(JdbcClient.class);
            await().untilAsserted(
                            () -> assertThat(jdbc.sql("SELECT result ->> 'text' FROM queue.job_history WHERE id = ?")
                                            .param(id)
                                            .query(String.class)
                                            .optional())
                                    .hasValue("hello world, attempt 1"));
        });
    }

    record Greeting(String name) {}

    record Reply(String text) {}

    static class Greetings {

        @JobHandler("greet")
        Reply greet(Greeting greeting, JobContext job) {
            return new Reply("hello " + greeting.name() + ", attempt " + job.attempt());
        }
    }
}
