package dev.jobqueue.benchmarks.phase;

import dev.jobqueue.benchmarks.measure.Host;
import dev.jobqueue.benchmarks.measure.Ticks;
import dev.jobqueue.benchmarks.subject.QueueSubject;
import dev.jobqueue.benchmarks.subject.Workers;
import dev.jobqueue.schedule.JobSchedules;
import dev.jobqueue.schedule.ScheduleDefinition;
import java.util.List;

/**
 * How late a schedule is on a node that does nothing else: from the time it is due to the first line of the handler.
 */
public final class SchedulesPhase implements Phase {

    public static final String P50 = "schedule, every second, lag, p50";
    public static final String QUEUE = "queue, one node";

    private static final String P95 = "schedule, every second, lag, p95";
    private static final String MOST = "schedule, every second, lag, max";
    private static final String NAME = "tick";

    private final Lab lab;

    public SchedulesPhase(Lab lab) {
        this.lab = lab;
    }

    @Override
    public void round(int number) throws Exception {
        QueueSubject queue = lab.queue();
        queue.clear();
        queue.start(Workers.defaults().inSameJvm());
        JobSchedules schedules = queue.node().schedules();
        try {
            schedules.set(ScheduleDefinition.of(NAME, "tick").cron("* * * * * *"));
            Thread.sleep(5_000);
            Ticks.take();
            Host.Watch watch = lab.host().watch();
            Thread.sleep(lab.quick() ? 5_000 : 30_000);
            List<Double> lags = Ticks.take();
            double others = watch.foreign();
            if (lags.isEmpty()) {
                throw new IllegalStateException("The schedule has not fired");
            }
            lab.results().add(number, P50, QUEUE, lags.get(lags.size() / 2), "ms", others);
            lab.results().add(number, P95, QUEUE, lags.get((int) (lags.size() * 0.95)), "ms", others);
            lab.results().add(number, MOST, QUEUE, lags.get(lags.size() - 1), "ms", others);
        } finally {
            schedules.delete(NAME);
            queue.stop();
            queue.clear();
        }
    }
}
