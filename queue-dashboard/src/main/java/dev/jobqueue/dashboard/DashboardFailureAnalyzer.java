package dev.jobqueue.dashboard;

import dev.jobqueue.dashboard.PathCheck.PathTakenException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Says what to change when the dashboard makes an application fail at start. */
final class DashboardFailureAnalyzer extends AbstractFailureAnalyzer<PathTakenException> {

    @Override
    protected FailureAnalysis analyze(Throwable failure, PathTakenException cause) {
        return new FailureAnalysis(
                cause.getMessage(),
                "Set queue.dashboard.path to another path, such as '/internal/queues', or"
                        + " queue.dashboard.enabled=false.",
                cause);
    }
}
