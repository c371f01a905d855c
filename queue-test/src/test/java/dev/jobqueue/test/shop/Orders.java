package dev.jobqueue.test.shop;

import dev.jobqueue.Job;
import dev.jobqueue.JobPublisher;
import java.time.Duration;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

@Service
public class Orders {

    private final JdbcClient jdbc;
    private final JobPublisher jobs;

    Orders(JdbcClient jdbc, JobPublisher jobs) {
        this.jdbc = jdbc;
        this.jobs = jobs;
    }

    @Transactional
    public long place(String email) {
        long id = jdbc.sql("INSERT INTO orders (email, state) VALUES (?, 'PLACED') RETURNING id")
                .param(email)
                .query(Long.class)
                .single();
        jobs.publish(new SendInvoice(id, email));
        jobs.publish(Job.of(new RemindOrder(id)).queue("reminders").delay(Duration.ofDays(14)));
        return id;
    }

    @Transactional
    public void mark(long id, String state) {
        jdbc.sql("UPDATE orders SET state = ? WHERE id = ?").params(state, id).update();
    }

    @Transactional
    public void markAndFail(long id) {
        mark(id, "BROKEN");
        throw new IllegalStateException("the service rolled back");
    }

    public String state(long id) {
        return jdbc.sql("SELECT state FROM orders WHERE id = ?")
                .param(id)
                .query(String.class)
                .single();
    }

    public void deleteAll() {
        jdbc.sql("DELETE FROM orders").update();
    }

    public long count() {
        return jdbc.sql("SELECT count(*) FROM orders").query(Long.class).single();
    }
}
