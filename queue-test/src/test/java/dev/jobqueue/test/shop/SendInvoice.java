package dev.jobqueue.test.shop;

import com.fasterxml.jackson.annotation.JsonAlias;
import dev.jobqueue.JobType;

@JobType("invoice.send")
public record SendInvoice(long orderId, @JsonAlias("mail") String email) {}
