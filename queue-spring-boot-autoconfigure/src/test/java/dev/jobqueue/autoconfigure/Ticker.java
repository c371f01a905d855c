package dev.jobqueue.autoconfigure;

import dev.jobqueue.JobContext;
import dev.jobqueue.JobHandler;
import dev.jobqueue.schedule.JobSchedule;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Runs every second, and remembers for what. */
class Ticker {

    private final List<Instant> times = new CopyOnWriteArrayList<>();

    @JobHandler("tick")
    @JobSchedule(cron = "* * * * * *", name = "${ticker.name:ticker}")
    void tick(JobContext job) {
        if ("ticker".equals(job.scheduleName())) {
            times.add(job.scheduledFor());
        }
    }

    List<Instant> times() {
        return times;
    }
}
