package dev.jobqueue.sample.reports;

import dev.jobqueue.JobContext;
import dev.jobqueue.JobHandler;
import java.time.Duration;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** Builds a report in three steps; an attempt that follows a crash goes on after the last step that was finished. */
@Component
class ReportHandler {

    private static final int STAGES = 3;

    private final JdbcClient jdbc;

    ReportHandler(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    @JobHandler(value = "report.build", queue = "reports", timeout = "15m")
    Report build(BuildReport report, JobContext job) throws Exception {
        Duration work = Duration.ofSeconds(report.seconds()).dividedBy(STAGES);
        long orders = job.step("count", Long.class, () -> {
            work(job, 0, "counting orders", work);
            return jdbc.sql("SELECT count(*) FROM orders").query(Long.class).single();
        });
        String text = job.step("write", String.class, () -> {
            work(job, 33, "writing", work);
            return "%d orders so far".formatted(orders);
        });
        job.step("print", Boolean.class, () -> {
            work(job, 66, "printing", work);
            return true;
        });
        return new Report(text);
    }

    /** Works for a while, tells how it goes, and stops at once when the job is cancelled. */
    private static void work(JobContext job, int percent, String stage, Duration duration) throws InterruptedException {
        job.progress(percent, stage);
        job.log(stage);
        Thread.sleep(duration.toMillis());
    }

    record Report(String text) {}
}
