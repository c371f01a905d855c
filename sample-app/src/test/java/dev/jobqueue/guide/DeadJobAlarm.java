package dev.jobqueue.guide;

import dev.jobqueue.spi.JobEvent;
import dev.jobqueue.spi.JobListener;
import org.springframework.stereotype.Component;

// snippet: listener
@Component
class DeadJobAlarm implements JobListener {

    private final Outside outside;

    DeadJobAlarm(Outside outside) {
        this.outside = outside;
    }

    @Override
    public void dead(JobEvent.Ended run) {
        outside.mail("ops@example.org", "Job %s (%s) is dead: %s".formatted(run.id(), run.type(), run.error()));
    }
}
// end
