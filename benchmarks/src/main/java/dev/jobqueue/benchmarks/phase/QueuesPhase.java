package dev.jobqueue.benchmarks.phase;

import dev.jobqueue.benchmarks.measure.Sink;
import dev.jobqueue.benchmarks.phase.Drain.Drained;
import dev.jobqueue.benchmarks.subject.QueueSubject;
import dev.jobqueue.benchmarks.subject.Workers;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** The same backlog in one queue, and spread over a thousand. */
public final class QueuesPhase implements Phase {

    public static final String RATE = "drain by queues, no-op, 16 slots each";
    public static final String ONE = "queue, 1 queue";
    public static final String THOUSAND = "queue, 1,000 queues";

    private static final int PASSES = 3;

    private final Lab lab;
    private final Drain drain;
    private final QueueSubject one;
    private final QueueSubject thousand;

    public QueuesPhase(Lab lab) throws Exception {
        this.lab = lab;
        this.drain = new Drain(lab);
        this.one = lab.create(subject(ONE, "queue_one", 1));
        this.thousand = lab.create(subject(THOUSAND, "queue_thousand", 1_000));
    }

    private QueueSubject subject(String name, String database, int queues) {
        String names = IntStream.range(0, queues).mapToObj(QueuesPhase::name).collect(Collectors.joining(","));
        return new QueueSubject(name, database, lab.server()).with("queue.worker.queues", names);
    }

    private static String name(long queue) {
        return "queue-" + queue;
    }

    @Override
    public void round(int number) throws Exception {
        for (int pass : lab.passes(number, PASSES)) {
            // each goes first as often as the other: a machine that grows slower, or faster, favours neither
            for (QueueSubject subject : pass % 2 == 0 ? List.of(thousand, one) : List.of(one, thousand)) {
                measure(pass, subject, subject == one ? 1 : 1_000);
            }
        }
    }

    private void measure(int round, QueueSubject subject, int queues) throws Exception {
        int jobs = lab.backlog();
        subject.clear();
        subject.publishAll(0, jobs, (id, job) -> job.queue(name(id % queues)));
        Drained drained = drain.published(subject, Workers.of(16), Sink.expect(jobs), jobs);
        lab.results().add(round, RATE, subject.name(), drained.rate(), "jobs/s", drained.others());
        lab.results().tell(drained.profile().text());
    }
}
