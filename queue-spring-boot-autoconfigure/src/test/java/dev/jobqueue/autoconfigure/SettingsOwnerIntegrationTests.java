package dev.jobqueue.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.postgres.TestDatabase;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** Two applications on one schema. */
@ExtendWith(OutputCaptureExtension.class)
class SettingsOwnerIntegrationTests {

    private static final String REPLACED = "had other values, set by the application";

    private static final String NAMELESS = "";

    private final ApplicationContextRunner application = QueueApplication.on(TestDatabase.create())
            .withPropertyValues(
                    "queue.retention=3d", "queue.queues.mail.retention=1d", "queue.retry.send.max-attempts=5");

    @Test
    void warnsWhenValuesOfAnotherApplicationAreReplaced(CapturedOutput output) {
        start("shop");
        start("shop", "queue.retention=4d");
        start("warehouse", "queue.retention=4d");
        assertThat(output).doesNotContain(REPLACED);

        start("warehouse", "queue.retention=5d", "queue.queues.mail.retention=9d", "queue.retry.send.max-attempts=6");
        assertThat(output)
                .contains("The settings of all queues " + REPLACED + " 'shop'")
                .contains("The settings of queue 'mail' " + REPLACED + " 'shop'")
                .contains("The retry policy of type 'send' " + REPLACED + " 'shop'");
    }

    @Test
    void warnsWhenAnApplicationWithoutANameReplacesValues(CapturedOutput output) {
        start("shop");
        start(NAMELESS, "queue.retention=4d", "queue.retry.send.max-attempts=6");

        assertThat(output)
                .contains("The settings of all queues " + REPLACED + " 'shop'")
                .contains("The retry policy of type 'send' " + REPLACED + " 'shop'");
    }

    @Test
    void warnsWhenValuesOfAnApplicationWithoutANameAreReplaced(CapturedOutput output) {
        start(NAMELESS);
        start(NAMELESS, "queue.retention=4d");
        assertThat(output).as("may be a new version of the same application").doesNotContain("had other values");

        start("shop", "queue.retention=5d");
        assertThat(output)
                .contains("The settings of all queues had other values, set by an application without a name");
    }

    private void start(String name, String... properties) {
        application
                .withPropertyValues("spring.application.name=" + name)
                .withPropertyValues(properties)
                .run(context -> assertThat(context).hasNotFailed());
    }
}
