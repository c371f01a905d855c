package dev.jobqueue.guide;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verify;

import dev.jobqueue.JobContext;
import org.junit.jupiter.api.Test;

class InvoiceHandlerTests {

    // snippet: test-unit
    @Test
    void mailsTheInvoice() {
        Outside mailer = new Outside();
        JobContext job = mock(JobContext.class);
        new InvoiceHandler(mailer).send(new SendInvoice(42, "ada@example.org"), job);
        assertThat(mailer.mails).containsExactly("ada@example.org: Invoice of order 42");
        verify(job).progress(50, "mailing");
    }
    // end
}
