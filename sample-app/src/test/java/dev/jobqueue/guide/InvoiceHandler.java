package dev.jobqueue.guide;

import dev.jobqueue.JobContext;
import dev.jobqueue.JobHandler;
import dev.jobqueue.guide.Outside.Receipt;
import org.springframework.stereotype.Component;

@Component
class InvoiceHandler {

    private final Outside mailer;

    InvoiceHandler(Outside mailer) {
        this.mailer = mailer;
    }

    // snippet: handler
    @JobHandler
    Receipt send(SendInvoice invoice, JobContext job) {
        job.progress(50, "mailing");
        return mailer.mail(invoice.email(), "Invoice of order " + invoice.orderId()); // kept as the job's result
    }
    // end
}
