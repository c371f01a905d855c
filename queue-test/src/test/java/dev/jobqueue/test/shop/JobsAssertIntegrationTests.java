package dev.jobqueue.test.shop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobqueue.Job;
import dev.jobqueue.JobPublisher;
import dev.jobqueue.test.JobTest;
import dev.jobqueue.test.JobTester;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

@JobTest({Orders.class, Mailer.class, ShopHandlers.class})
class JobsAssertIntegrationTests {

    @Autowired
    private JobTester jobs;

    @Autowired
    private JobPublisher publisher;

    @DynamicPropertySource
    static void database(DynamicPropertyRegistry registry) {
        KitDatabase.addTo(registry);
    }

    @Test
    void narrowsDownWhatWasPublished() {
        publisher.publish(Job.of(new SendInvoice(7, "ada@example.org"))
                .queue("mail")
                .priority(5)
                .delay(Duration.ofHours(1))
                .header("tenant", "a"));
        publisher.publish(new SendInvoice(8, "joe@example.org"));
        assertThat(jobs).published("invoice.send").times(2);
        assertThat(jobs)
                .published("invoice.send")
                .withPayload(new SendInvoice(7, "ada@example.org"))
                .inQueue("mail")
                .withPriority(5)
                .withHeader("tenant", "a")
                .delayedBy(Duration.ofHours(1))
                .once();
        assertThat(jobs).nothingPublished("order.remind");
    }

    @Test
    void listsWhatIsThereInAFailure() {
        publisher.publish(new SendInvoice(8, "joe@example.org"));
        assertThatThrownBy(() -> assertThat(jobs).published("invoice.send").inQueue("mail"))
                .isInstanceOf(AssertionError.class)
                .hasMessage("Expected a job of type 'invoice.send' published in queue 'mail', but there is:\n"
                        + "  'invoice.send' PENDING in queue 'default', attempt 0 of 3,"
                        + " payload {\"email\": \"joe@example.org\", \"orderId\": 8}");
        assertThatThrownBy(() -> assertThat(jobs).published("invoice.send").times(2))
                .hasMessageStartingWith(
                        "Expected a job of type 'invoice.send' published 2 times, and found 1, but there is");
        assertThatThrownBy(() -> assertThat(jobs).nothingPublished())
                .hasMessageStartingWith("Expected no jobs, but there is:");
    }

    @Test
    void saysThatThereAreNoJobs() {
        assertThat(jobs).nothingPublished();
        assertThatThrownBy(() -> assertThat(jobs).dead("invoice.send"))
                .hasMessage("Expected a job of type 'invoice.send' dead, but there are no jobs.");
    }

    @Test
    void readsPayloadsThatAreStored() {
        assertThat(jobs).readsPayloadsIn("payloads");
    }

    @Test
    void namesStoredPayloadsThatCannotBeRead() {
        assertThatThrownBy(() -> assertThat(jobs).readsPayloadsIn("payloads-broken"))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("invoice.send.json: The payload cannot be read as")
                .hasMessageContaining("order.gone.json: no handler takes type 'order.gone'")
                .hasMessageContaining("order.remind.json: 'RemindOrder' does not read [order.remind.fax]");
        assertThatThrownBy(() -> assertThat(jobs).readsPayloadsIn("payloads-broken", "order.remind.fax"))
                .message()
                .doesNotContain("order.remind");
        assertThatThrownBy(() -> assertThat(jobs).readsPayloadsIn("nowhere"))
                .hasMessageContaining("there are no files");
    }
}
