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
                        "Expected a job of type 'invoice.send' published 2 times, but found 1. There is:\n  'invoice");
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
                .hasMessageStartingWith("Stored payloads that the handlers cannot read any more:")
                .hasMessageContaining(
                        "order.gone.json: no handler of this test takes type 'order.gone'. If another type")
                .hasMessageContaining(
                        "order.remind.json: 'RemindOrder' has no place for order.remind.fax, whose value");
        assertThatThrownBy(() -> assertThat(jobs).readsPayloadsIn("payloads-broken", "order.remind.fax"))
                .message()
                .doesNotContain("order.remind");
        assertThatThrownBy(() -> assertThat(jobs).readsPayloadsIn("nowhere"))
                .hasMessage("There are no files 'nowhere/<type>.json' or 'nowhere/<type>/<any name>.json' on the"
                        + " class path");
    }

    @Test
    void takesAFieldThatIsReadByAnAliasForRead() {
        assertThat(jobs).readsPayloadsIn("/payloads-renamed/");
    }

    @Test
    void refusesToCountNone() {
        publisher.publish(new SendInvoice(8, "joe@example.org"));
        assertThatThrownBy(() -> assertThat(jobs).published("invoice.send").times(0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("nothingPublished(type)");
    }

    @Test
    void saysWhyNoDrainHandlesAJob() {
        publisher.publish("fax.send", 1);
        publisher.publish(Job.of("order.shipped", 1).queue("elsewhere"));
        jobs.drain();
        assertThatThrownBy(() -> assertThat(jobs).completed("fax.send"))
                .hasMessageContaining("payload 1 (no handler of this test takes this type)\n")
                .hasMessageEndingWith("payload 1 (the application does not work this queue)");
    }

    @Test
    void keepsTheDescription() {
        assertThatThrownBy(() -> assertThat(jobs).as("after the order").published("invoice.send"))
                .hasMessageStartingWith("[after the order] Expected a job");
        publisher.publish(new SendInvoice(8, "joe@example.org"));
        assertThatThrownBy(() -> assertThat(jobs)
                        .as("after the order")
                        .published("invoice.send")
                        .inQueue("mail"))
                .hasMessageStartingWith("[after the order] Expected a job");
    }
}
