package dev.jobqueue.survival.node;

import dev.jobqueue.Job;
import dev.jobqueue.JobNotFoundException;
import dev.jobqueue.JobPublisher;
import dev.jobqueue.operate.JobOperations;
import dev.jobqueue.survival.ledger.Ledger;
import dev.jobqueue.survival.ledger.Verb;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.TransactionTemplate;

/** Publishes without end, in every way there is, and writes down what it was promised. */
final class Producer {

    private static final Logger log = LoggerFactory.getLogger(Producer.class);

    private static final int THREADS = 2;
    private static final int PAUSE_MILLIS = 110;

    private final Ledger ledger;
    private final JobPublisher jobs;
    private final JobOperations operations;
    private final JdbcTemplate jdbc;
    private final TransactionTemplate transactions;
    private final AtomicBoolean holding = new AtomicBoolean();

    Producer(
            Ledger ledger,
            JobPublisher jobs,
            JobOperations operations,
            JdbcTemplate jdbc,
            PlatformTransactionManager transactionManager) {
        this.ledger = ledger;
        this.jobs = jobs;
        this.operations = operations;
        this.jdbc = jdbc;
        this.transactions = new TransactionTemplate(transactionManager);
    }

    void start() {
        for (int i = 0; i < THREADS; i++) {
            new Thread(this::loop, "producer-" + i).start();
        }
    }

    /** The next transaction publishes a job and never ends. */
    void hold() {
        holding.set(true);
    }

    private void loop() {
        while (true) {
            try {
                publishSomehow();
            } catch (RuntimeException ex) {
                log.info("Not published: {}", ex.toString());
            }
            LockSupport.parkNanos(Duration.ofMillis(PAUSE_MILLIS).toNanos());
        }
    }

    private void publishSomehow() {
        if (holding.get()) {
            transactions.executeWithoutResult(this::publishAndStay);
        }
        int choice = ThreadLocalRandom.current().nextInt(100);
        if (choice < 40) {
            publishUntilItIsThere();
        } else if (choice < 50) {
            ledger.write(Verb.COMMITTED, jobs.publish(Draft.generated()));
        } else if (choice < 80) {
            publishInTransaction();
        } else if (choice < 85) {
            publishTogether();
        } else if (choice < 95) {
            transactions.executeWithoutResult(this::publishAndRollBack);
        } else {
            publishAndCancel();
        }
    }

    /** As an application does that must not lose a request: once more under the same id, until the answer is yes. */
    private void publishUntilItIsThere() {
        UUID id = UUID.randomUUID();
        Job job = Draft.any(id);
        ledger.write(Verb.INTENDED, id);
        while (true) {
            try {
                jobs.publish(job);
                ledger.write(Verb.COMMITTED, id);
                return;
            } catch (RuntimeException ex) {
                log.info("Once more: {}", ex.toString());
                LockSupport.parkNanos(Duration.ofMillis(PAUSE_MILLIS).toNanos());
            }
        }
    }

    private void publishInTransaction() {
        List<Job> some = Stream.generate(UUID::randomUUID)
                .limit(1 + ThreadLocalRandom.current().nextInt(3))
                .map(Draft::any)
                .toList();
        some.forEach(job -> ledger.write(Verb.INTENDED, Draft.id(job)));
        transactions.executeWithoutResult(status -> {
            jobs.publishAll(some);
            some.forEach(job -> jdbc.update("INSERT INTO survival.orders (job_id) VALUES (?)", Draft.id(job)));
        });
        some.forEach(job -> ledger.write(Verb.COMMITTED, Draft.id(job)));
    }

    /** Nobody writes down the ids of their jobs: what must be true of them stands in the database. */
    private void publishTogether() {
        if (ThreadLocalRandom.current().nextBoolean()) {
            jobs.publish(Draft.batch());
        } else {
            jobs.publish(Draft.flow());
        }
    }

    private void publishAndRollBack(TransactionStatus status) {
        UUID id = UUID.randomUUID();
        ledger.write(Verb.INTENDED, id);
        jobs.publish(Draft.any(id));
        jdbc.update("INSERT INTO survival.orders (job_id) VALUES (?)", id);
        status.setRollbackOnly();
        ledger.write(Verb.ROLLED_BACK, id);
    }

    private void publishAndStay(TransactionStatus status) {
        UUID id = UUID.randomUUID();
        ledger.write(Verb.INTENDED, id);
        jobs.publish(Draft.any(id));
        ledger.write(Verb.HELD, id);
        while (true) {
            LockSupport.park();
        }
    }

    private void publishAndCancel() {
        UUID id = UUID.randomUUID();
        ledger.write(Verb.INTENDED, id);
        jobs.publish(Draft.any(id).delay(Duration.ofMillis(300)));
        ledger.write(Verb.COMMITTED, id);
        ledger.write(Verb.CANCELLING, id);
        try {
            operations.cancel(id);
        } catch (JobNotFoundException ex) {
            log.info("Too late to cancel {}", id);
        }
    }
}
