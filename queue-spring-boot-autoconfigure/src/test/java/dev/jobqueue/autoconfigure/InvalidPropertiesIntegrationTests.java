package dev.jobqueue.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobqueue.HandlerDefinition;
import dev.jobqueue.postgres.TestDatabase;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

@ExtendWith(OutputCaptureExtension.class)
class InvalidPropertiesIntegrationTests {

    private static final TestDatabase database = TestDatabase.create();
    private static final ApplicationContextRunner application = QueueApplication.on(database);

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    queue.worker.poll-interval         | 0s       | must be more than zero
                    queue.worker.poll-interval         | 200000d  | at most 10 years
                    queue.worker.heartbeat-interval    | -1s      | must be more than zero
                    queue.worker.ttl                   | 9s       | must be at least twice queue.worker.heartbeat
                    queue.worker.shutdown-grace        | 29s      | shorter than spring.lifecycle.timeout
                    queue.worker.shutdown-grace        | -1s      | shorter than spring.lifecycle.timeout
                    queue.worker.slots                 | 0        | must be at least 1
                    queue.queues.mail.slots            | -3       | must be at least 1
                    queue.queues[mail.bulk].slots      | -3       | must be at least 1
                    queue.worker.queues                | nothing* | must match at least one of the queues
                    queue.retention                    | -1d      | must be 0 or at least 1s
                    queue.queues.mail.retention        | 5        | must be 0 or at least 1s
                    queue.queues[mail.bulk].retention  | 5        | must be 0 or at least 1s
                    queue.retry[a.b].max-attempts      | 0        | must be at least 1
                    queue.retry[a.b].backoff           | -1s      | must not be negative
                    queue.retry[a.b].backoff           | 9999999d | at most 10 years
                    queue.retry[a.b].timeout           | 9999999d | at most 10 years
                    queue.retry[a.b].factor            | 0.5      | must be from 1 to 100
                    queue.retry[a.b].max-backoff       | 1s       | must be at least the backoff
                    queue.retry[a.b].jitter            | 2        | must be from 0 to 1
                    queue.retry[a.b].timeout           | 0s       | must be above zero
                    """)
    void failTheStartWithValueRuleAndFix(String property, String value, String rule) {
        analysis(application.withPropertyValues(property + "=" + value), analysis -> {
            assertThat(analysis.getDescription()).contains("'" + property + "'").contains(rule);
            assertThat(analysis.getAction()).isNotBlank();
        });
    }

    @Test
    void nameDurationsAsTheyAreWritten() {
        analysis(
                application.withPropertyValues("queue.worker.ttl=9s"),
                analysis -> assertThat(analysis.getDescription()).contains("'9s'", "(5s)"));
    }

    @Test
    void areShownToWhoeverStartsTheApplication(CapturedOutput output) {
        assertThatThrownBy(() -> Node.start(database, Object.class, "queue.worker.slots=0"))
                .isInstanceOf(RuntimeException.class);
        assertThat(output)
                .contains(
                        "APPLICATION FAILED TO START",
                        "'queue.worker.slots'",
                        "must be at least 1",
                        "Set it to 1 or more");
    }

    @Test
    void areToldOfQueuesToWorkThatNothingElseNames(CapturedOutput output) {
        application
                .withBean(
                        HandlerDefinition.class,
                        () -> HandlerDefinition.of("send", String.class, (payload, job) -> null)
                                .queue("mail"))
                .withPropertyValues("queue.worker.queues=mial,bulk,default", "queue.queues.bulk.slots=1")
                .run(context -> assertThat(context).hasNotFailed());

        assertThat(output)
                .containsOnlyOnce(
                        "queue.worker.queues names no queue of a handler here: 'mial' (did you mean 'mail'?).");
    }

    @Test
    void areOnlyToldOfWhereTheyNameATypeThatNothingHereHandles(CapturedOutput output) {
        application
                .withBean(
                        HandlerDefinition.class,
                        () -> HandlerDefinition.of("invoice.send", String.class, (payload, job) -> null))
                .withPropertyValues(
                        "queue.retry[invoice.send].max-attempts=2",
                        "queue.retry[invoice.sent].max-attempts=2",
                        "queue.retry.elsewhere.max-attempts=2",
                        "queue.retry.nightly.max-attempts=2",
                        "queue.schedules.nightly.cron=@daily")
                .run(context -> assertThat(context).hasNotFailed());

        assertThat(output)
                .containsOnlyOnce("queue.retry names types that this node neither handles nor schedules:"
                        + " 'elsewhere', 'invoice.sent' (did you mean 'invoice.send'?).");
    }

    private static void analysis(ApplicationContextRunner failing, Consumer<FailureAnalysis> check) {
        failing.run(context -> {
            assertThat(context).hasFailed();
            FailureAnalysis analysis = new QueueFailureAnalyzer().analyze(context.getStartupFailure());
            assertThat(analysis)
                    .as("analysis of %s", context.getStartupFailure())
                    .isNotNull();
            check.accept(analysis);
        });
    }
}
