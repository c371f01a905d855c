package dev.jobqueue.test.shop;

import dev.jobqueue.JobContext;
import dev.jobqueue.JobHandler;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.stereotype.Component;

@Component
public class CustomerHandlers {

    private final ObjectProvider<Customers> customers;

    CustomerHandlers(ObjectProvider<Customers> customers) {
        this.customers = customers;
    }

    @JobHandler(value = "customer.greet", transactional = true, maxAttempts = 2, backoff = "10s")
    void greet(Long id, JobContext job) {
        Customer customer = customers.getObject().findById(id).orElseThrow();
        customer.greet();
        if (job.attempt() == 1) {
            throw new IllegalStateException("not yet");
        }
    }

    @JobHandler(value = "customer.break", transactional = true, maxAttempts = 2, backoff = "10s")
    void breakIt(Long id, JobContext job) {
        Customer customer = customers.getObject().findById(id).orElseThrow();
        if (job.attempt() == 1) {
            customer.rename(null); // the flush fails, as the commit would
        } else {
            customer.rename("mended");
        }
    }
}
