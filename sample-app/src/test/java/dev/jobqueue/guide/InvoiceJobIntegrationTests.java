package dev.jobqueue.guide;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import dev.jobqueue.JobPublisher;
import dev.jobqueue.guide.Payloads.BuildReport;
import dev.jobqueue.test.JobDatabase;
import dev.jobqueue.test.JobTest;
import dev.jobqueue.test.JobTester;
import java.math.BigDecimal;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.test.context.bean.override.mockito.MockitoBean;

// snippet: test-job
@JobTest({Publishing.class, InvoiceHandler.class, Handlers.class}) // the queue, JDBC, and these
@JobDatabase // a PostgreSQL
class InvoiceJobIntegrationTests {

    @Autowired
    JobTester jobs;

    @Autowired
    Publishing orders;

    @MockitoBean
    Outside mailer;

    @Test
    void sendsTheInvoice() {
        orders.place("Ada", "ada@example.org", BigDecimal.TEN);
        assertThat(jobs)
                .published("invoice.send")
                .withPayload(SendInvoice.class, invoice -> invoice.email().equals("ada@example.org"))
                .once();
        jobs.drain();
        assertThat(jobs).completed("invoice.send");
    } // and rolls back
    // end

    @Autowired
    JobPublisher publisher;

    // snippet: test-time
    @Test
    void givesUpAfterThreeAttempts() {
        when(mailer.mail(any(), any())).thenThrow(new IllegalStateException("smtp: no route to host"));
        orders.place("Ada", "ada@example.org", BigDecimal.TEN);
        jobs.drain();
        assertThat(jobs).scheduled("invoice.send").afterAttempts(1);
        jobs.advance(Duration.ofHours(1));
        assertThat(jobs).dead("invoice.send").afterAttempts(3).withErrorContaining("smtp");
    }

    @Test
    void tidiesEveryNight() {
        jobs.advance(Duration.ofDays(3));
        assertThat(jobs).completed("orders.tidy").times(3);
    }
    // end

    // snippet: test-crash
    @Test
    void countsOnceAlthoughTheNodeDies() {
        publisher.publish(new BuildReport(2026, 7));
        jobs.crashAfter("count").drain();
        assertThat(jobs).completed("report.build").afterAttempts(2);
        verify(mailer).countOrders(2026, 7);
    }
    // end

    // snippet: test-contract
    @Test
    void readsWhatEarlierVersionsPublished() {
        assertThat(jobs).readsPayloadsIn("payloads");
    }
    // end
}
