package dev.jobqueue.guide;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.test.FakeJobContext;
import dev.jobqueue.test.FakeJobContext.Progress;
import org.junit.jupiter.api.Test;

class InvoiceHandlerTests {

    // snippet: test-unit
    @Test
    void mailsTheInvoice() {
        Outside mailer = new Outside();
        FakeJobContext job = new FakeJobContext();
        new InvoiceHandler(mailer).send(new SendInvoice(42, "ada@example.org"), job);
        assertThat(mailer.mails).containsExactly("ada@example.org: Invoice of order 42");
        assertThat(job.progress()).containsExactly(new Progress(50, "mailing"));
    }
    // end
}
