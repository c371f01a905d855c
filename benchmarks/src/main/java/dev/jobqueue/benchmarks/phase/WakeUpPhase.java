package dev.jobqueue.benchmarks.phase;

import dev.jobqueue.benchmarks.measure.Host;
import dev.jobqueue.benchmarks.measure.Sink;
import dev.jobqueue.benchmarks.subject.QueueSubject;
import dev.jobqueue.benchmarks.subject.Workers;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Publishing in transactions by 16 threads while another node works the queue: woken by notifications; or without any,
 * the publisher sends none, by looking every 10 ms.
 */
public final class WakeUpPhase implements Phase {

    public static final String RATE = "publish in a transaction, 16 threads, a consumer at work";
    public static final String WOKEN = "queue, consumer woken by NOTIFY";
    public static final String POLLING = "queue, consumer polls";

    private static final int THREADS = 16;
    private static final int PASSES = 6;

    private final Lab lab;
    private final QueueSubject polling;

    public WakeUpPhase(Lab lab) throws Exception {
        this.lab = lab;
        this.polling = lab.create(
                new QueueSubject(POLLING, "queue_polling", lab.server()).with("queue.listener.enabled", "false"));
        this.polling.node().silence();
    }

    @Override
    public void round(int number) throws Exception {
        for (int pass : lab.passes(number, PASSES)) {
            measure(pass, WOKEN, lab.queue(), Workers.of(16));
            measure(pass, POLLING, polling, Workers.of(16).poll(Duration.ofMillis(10)));
        }
    }

    private void measure(int round, String name, QueueSubject queue, Workers setup) throws Exception {
        queue.clear();
        lab.server().tidy(queue.database());
        Sink.expect(0);
        queue.start(setup);
        try {
            Host.Watch watch = lab.host().watch();
            TransactionTemplate transactions = queue.node().transactions();
            AtomicLong ids = new AtomicLong();
            double rate = Load.perSecond(
                    Load.same(THREADS, () -> {
                        transactions.executeWithoutResult(status -> queue.publish(ids.getAndIncrement()));
                        return 1;
                    }),
                    lab.warmUp(),
                    lab.sampling());
            lab.results().add(round, RATE, name, rate, "jobs/s", watch.foreign());
        } finally {
            queue.stop();
            queue.clear();
        }
    }
}
