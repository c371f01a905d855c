package dev.jobqueue.test.shop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobqueue.Job;
import dev.jobqueue.JobPublisher;
import dev.jobqueue.test.JobTest;
import dev.jobqueue.test.JobTester;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
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
    void tellsWhatElseMayDiffer() {
        publisher.publish(Job.of("order.shipped", 1).header("tenant", "acme").delay(Duration.ofHours(1)));
        assertThatThrownBy(() -> assertThat(jobs).published("order.shipped").withHeader("tenant", "other"))
                .hasMessageContaining("published with header tenant=other, but")
                .hasMessageContaining(", PT1H after it was published, headers {tenant=acme}");
    }

    @Test
    void comparesNumbersByTheirValue() {
        publisher.publish("prices.read", Map.of("price", 1.0E10, "list", List.of(new BigDecimal("2.50"), 3)));
        assertThat(jobs)
                .published("prices.read")
                .withPayload(Map.of("price", 10_000_000_000L, "list", List.of(2.5, new BigDecimal("3.0"))));
        assertThat(jobs).published("prices.read").withPayload(Map.of("price", 1.0E10, "list", List.of(2.5, 3)));
        assertThatThrownBy(() -> assertThat(jobs)
                        .published("prices.read")
                        .withPayload(Map.of("price", 1.0E10, "list", List.of(3, 2.5))))
                .isInstanceOf(AssertionError.class);
    }

    @Test
    void readsResults() {
        publisher.publish(new SendInvoice(8, "joe@example.org"));
        publisher.publish("order.shipped", 1);
        jobs.drain();
        assertThat(jobs)
                .completed("invoice.send")
                .withResult(String.class, text -> text.startsWith("Invoice 8"))
                .once();
        assertThatThrownBy(() -> assertThat(jobs).completed("order.shipped").withResult(String.class, text -> true))
                .hasMessageStartingWith("Expected a job of type 'order.shipped' completed with a result 'String' that"
                        + " matches, but there are:");
    }

    @Test
    void leavesOutPayloadsOfSomethingElse() {
        publisher.publish("invoice.send", "no invoice");
        publisher.publish(new SendInvoice(8, "joe@example.org"));
        assertThat(jobs)
                .published("invoice.send")
                .withPayload(SendInvoice.class, invoice -> invoice.orderId() == 8)
                .once();
        assertThatThrownBy(() -> assertThat(jobs)
                        .published("invoice.send")
                        .withPayload(SendInvoice.class, invoice -> invoice.orderId() == 9))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("payload \"no invoice\"");
    }

    @Test
    void findsAJobByTheTimeItWasGiven() {
        Instant time = Instant.parse("2030-01-01T00:00:00.123456789Z");
        publisher.publish(Job.of("order.shipped", 1).runAt(time));
        assertThat(jobs).scheduled("order.shipped").dueAt(time);
        assertThatThrownBy(() -> assertThat(jobs).scheduled("order.shipped").dueAt(time.plusNanos(2_000)))
                .isInstanceOf(AssertionError.class);
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
                .hasMessageContaining("invoice.send/empty.json: the file is empty")
                .hasMessageContaining("invoice.send/latin1.json: the file is not in UTF-8")
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
