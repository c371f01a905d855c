package dev.jobqueue.guide;

import dev.jobqueue.JobType;

// snippet: payload
@JobType("invoice.send")
record SendInvoice(long orderId, String email) {}
// end
