package dev.jobqueue.test.shop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobqueue.Job;
import dev.jobqueue.JobPublisher;
import dev.jobqueue.test.JobTest;
import dev.jobqueue.test.JobTester;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import org.springframework.transaction.annotation.Isolation;
import org.springframework.transaction.annotation.Transactional;

/** Limits hold in a test that rolls back, and their rates go by its time. */
@JobTest({Orders.class, Mailer.class, ShopHandlers.class})
class LimitsIntegrationTests {

    @Autowired
    private JobTester jobs;

    @Autowired
    private JobPublisher publisher;

    @Autowired
    private Mailer mailer;

    @Autowired
    private JdbcTemplate jdbc;

    @DynamicPropertySource
    static void database(DynamicPropertyRegistry registry) {
        KitDatabase.addTo(registry);
    }

    @BeforeEach
    void resetTheOutside() {
        mailer.reset();
    }

    @Test
    void startJobsAtTheirRate() {
        jdbc.execute("SELECT queue.set_limit('paced', rate => 1, period => '1 minute', burst => 1),"
                + " queue.use_limits('order.shipped', NULL, '{paced}')");
        publisher.publishAll(
                IntStream.range(0, 5).mapToObj(i -> Job.of("order.shipped", i)).toList());
        assertThat(jobs.drain("order.shipped")).isEqualTo(1);
        assertThat(jobs).waiting("order.shipped").times(4);
        assertThatThrownBy(() -> assertThat(jobs).pending("order.shipped"))
                .hasMessageEndingWith("payload 4 (its limits do not let it start)");
        jobs.advance(Duration.ofSeconds(150));
        assertThat(jobs).completed("order.shipped").times(3);
        jobs.advance(Duration.ofMinutes(10));
        assertThat(jobs).completed("order.shipped").times(5);
    }

    @Test
    void keepTheOrderOfALine() {
        jdbc.execute("SELECT queue.set_limit('line', kind => 'FIFO'),"
                + " queue.use_limits('invoice.send', NULL, '{line}')");
        publisher.publish(new SendInvoice(1, "first"));
        publisher.publish(new SendInvoice(2, "second"));
        mailer.failNext(1);
        jobs.drain();
        assertThat(mailer.mails)
                .as("the second waits behind the retry of the first")
                .isEmpty();
        jobs.drainIncludingRetries();
        assertThat(mailer.mails).containsExactly("first", "second");
    }

    @Test
    @Transactional(isolation = Isolation.REPEATABLE_READ)
    void areToldFromAnIsolationInWhichNobodyCounts() {
        jdbc.execute(
                "SELECT queue.set_limit('alone', running => 1), queue.use_limits('order.shipped', NULL, '{alone}')");
        publisher.publish("order.shipped", 1);
        assertThatThrownBy(() -> jobs.drain())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageEndingWith("READ COMMITTED only, but that of the test is REPEATABLE READ");
    }

    @Test
    void letPausedQueuesBe() {
        jdbc.execute("SELECT queue.set_limit('alone', running => 1),"
                + " queue.use_limits('order.shipped', NULL, '{alone}'), queue.pause('default')");
        publisher.publish("order.shipped", 1);
        assertThat(jobs.drain()).isZero();
        jdbc.execute("SELECT queue.resume('default')");
        assertThat(jobs.drain()).isEqualTo(1);
    }

    /** Behind a job that no handler of the test takes, nobody waits for another test. */
    @Test
    void letJobsOfOthersBe() {
        jdbc.execute("SELECT queue.set_limit('line', kind => 'FIFO'), queue.set_limit('few', running => 1),"
                + " queue.set_limit('paced', rate => 1, period => '1 minute', burst => 1),"
                + " queue.use_limits(NULL, 'default', '{line}'), queue.use_limits(NULL, 'reminders', '{few, paced}')");
        for (String queue : List.of("default", "reminders")) {
            publisher.publish(Job.of("nobody.knows", 1).queue(queue));
            publisher.publish(Job.of("order.shipped", 2).queue(queue));
            publisher.publish(Job.of("nobody.knows", 3).queue(queue));
            publisher.publish(Job.of("order.shipped", 4).queue(queue));
        }
        long began = System.nanoTime();
        jobs.drain();
        jobs.advance(Duration.ofMinutes(5));
        assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(20));
        assertThat(jobs).completed("order.shipped").inQueue("reminders").times(2);
        assertThat(jobs).waiting("order.shipped").inQueue("default").times(2);
        assertThat(jobs).waiting("nobody.knows").times(4);
    }
}
