package dev.jobqueue.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.support.SpringApplicationJsonEnvironmentPostProcessor;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.mock.env.MockEnvironment;

@ExtendWith(OutputCaptureExtension.class)
class UnknownPropertiesTests {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "queue.enabled",
                "queue.worker.queues[0]",
                "queue.worker.pollInterval",
                "queue.queues.mail.slots",
                "queue.queues.mail.health.oldest-warning",
                "queue.retry[invoice.send].max-attempts",
                "queue.schedules.nightly.payload.anything.goes",
                "queues.name"
            })
    void areNoneOfOurs(String name, CapturedOutput output) {
        assertThatNoException().isThrownBy(() -> check(name));
        assertThat(output).doesNotContain("does not read");
    }

    @ParameterizedTest
    @CsvSource({
        "queue.worker.slot,queue.worker.slots",
        "queue.worker.pol-interval,queue.worker.poll-interval",
        "queue.queues.mail.retenton,queue.queues.mail.retention",
        "queue.queues.mail.health.oldestwarn,queue.queues.mail.health.oldest-warning",
        "queue.retry[invoice.send].maxattempt,queue.retry[invoice.send].max-attempts"
    })
    void failTheStartInAGroupOfOurs(String name, String meant) {
        assertThatExceptionOfType(InvalidQueueConfigurationException.class)
                .isThrownBy(() -> check(name))
                .withMessage("The property '%s' is not known.", name)
                .satisfies(ex -> assertThat(ex.action()).startsWith("Did you mean '%s'?".formatted(meant)));
    }

    @Test
    void tellOfBracketsWhereANameHasDots() {
        assertThatExceptionOfType(InvalidQueueConfigurationException.class)
                .isThrownBy(() -> check("queue.retry.payment.collect.max-attempts"))
                .satisfies(ex -> assertThat(ex.action())
                        .isEqualTo("If 'payment.collect' is one name, write it in brackets:"
                                + " queue.retry[payment.collect].max-attempts."));
    }

    @Test
    void areOnlyToldOfDirectlyBelowThePrefix(CapturedOutput output) {
        check("queue.name");

        assertThat(output)
                .contains("does not read these properties", "[queue.name]")
                .contains("logging.level.dev.jobqueue.autoconfigure.UnknownProperties=error");
    }

    @Test
    void nameTheGroupThatMayBeMeant(CapturedOutput output) {
        check("queue.wroker.slots");

        assertThat(output).contains("[queue.wroker.slots (did you mean 'worker'?)]");
    }

    @ParameterizedTest
    @CsvSource({
        "QUEUE_WORKERS_SLOTS,QUEUE_WORKER_SLOTS",
        "QUEUE_WORKERS_POLL_INTERVAL,QUEUE_WORKER_POLL_INTERVAL",
        "QUEUE_QUEUE_MAIL_SLOTS,QUEUE_QUEUES_MAIL_SLOTS",
        "QUEUE_RETENTON,QUEUE_RETENTION"
    })
    void nameTheVariableThatMayBeMeant(String variable, String meant, CapturedOutput output) {
        checkVariable(variable);

        assertThat(output).contains("Environment variable " + variable + ": nobody reads it. Did you mean " + meant);
    }

    @ParameterizedTest
    @CsvSource({
        "QUEUE_WORKER_SLOT,queue.worker.slots",
        "QUEUE_WORKER_POLINTERVAL,queue.worker.poll-interval",
        "QUEUE_WORKER_POL_INTERVAL,queue.worker.poll-interval",
        "QUEUE_PUBLISHER_EVENT,queue.publisher.events",
        "QUEUE_QUEUES_MAIL_HEALTH_OLDEST_WARN,queue.queues.mail.health.oldest-warning"
    })
    void areOnlyToldOfInEnvironmentVariables(String variable, String meant, CapturedOutput output) {
        checkVariable(variable);

        assertThat(output).contains("Environment variable " + variable + ": ", "Did you mean '" + meant + "'?");
    }

    @ParameterizedTest
    @CsvSource({
        "QUEUE_RETRY_INVOICE_SEND_MAXATTEMPTS,invoice.send,queue.retry[invoice.send].max-attempts",
        "QUEUE_RETRY_INVOICE_SEND_MAX_ATTEMPTS,invoice.send,queue.retry[invoice.send].max-attempts",
        "QUEUE_QUEUES_A_B_C_HEALTH_OLDEST_WARNING,a.b.c,queue.queues[a.b.c].health.oldest-warning"
    })
    void tellOfANameThatAnEnvironmentVariableCannotHave(
            String variable, String name, String property, CapturedOutput output) {
        checkVariable(variable);

        assertThat(output)
                .contains("the name '" + name + "' has several parts, which a variable cannot have")
                .contains("SPRING_APPLICATION_JSON='{\"" + property + "\": ...}'")
                .doesNotContain("Did you mean");
    }

    @Test
    void areReadFromTheVariableWithJson() {
        StandardEnvironment environment = new StandardEnvironment();
        environment
                .getPropertySources()
                .addFirst(new MapPropertySource(
                        "variables", Map.of("SPRING_APPLICATION_JSON", "{\"queue.retry[a.b].max-attempts\": 5}")));
        new SpringApplicationJsonEnvironmentPostProcessor()
                .postProcessEnvironment(environment, new SpringApplication());

        assertThat(Binder.get(environment)
                        .bind("queue.retry", Bindable.mapOf(String.class, QueueProperties.Retry.class))
                        .get())
                .hasEntrySatisfying(
                        "a.b", retry -> assertThat(retry.maxAttempts()).isEqualTo(5));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "QUEUE_RETENTION",
                "QUEUE_WORKER_QUEUES_0",
                "QUEUE_WORKER_POLLINTERVAL",
                "QUEUE_WORKER_POLL_INTERVAL",
                "QUEUE_QUEUES_MAIL_HEALTH_OLDEST_WARNING",
                "QUEUE_RETRY_SEND_MAX_BACKOFF",
                "queue.retry[invoice.send].max-attempts",
                "QUEUE_SCHEDULES_NIGHTLY_PAYLOAD_ANYTHING_GOES",
                "QUEUE_SCHEDULES_NIGHTLY_PAYLOAD_CRON",
                // not ours: of other programs, and of a service 'queue-worker' in Kubernetes
                "QUEUE_NAME",
                "QUEUE_WORKERS_MAX",
                "QUEUE_WORKER_SERVICE_HOST",
                "QUEUE_WORKER_SERVICE_PORT_HTTP",
                "QUEUE_WORKER_PORT",
                "QUEUE_WORKER_PORT_80_TCP_ADDR"
            })
    void areNoneOfTheseEnvironmentVariables(String variable, CapturedOutput output) {
        checkVariable(variable);

        assertThat(output).doesNotContain("Environment variable", "does not read");
    }

    private static void checkVariable(String variable) {
        MockEnvironment environment = new MockEnvironment();
        environment
                .getPropertySources()
                .addLast(new SystemEnvironmentPropertySource("systemEnvironment", Map.of(variable, "x")));
        UnknownProperties.check(environment);
    }

    private static void check(String name) {
        UnknownProperties.check(new MockEnvironment().withProperty(name, "x"));
    }
}
