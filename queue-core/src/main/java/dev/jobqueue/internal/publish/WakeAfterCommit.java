package dev.jobqueue.internal.publish;

import dev.jobqueue.internal.store.NewJob;
import java.util.ArrayList;
import java.util.List;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Wakes the workers once, after the commit of a transaction that published jobs. */
final class WakeAfterCommit implements TransactionSynchronization {

    private final WakeUps wakeUps;
    private final List<NewJob> jobs = new ArrayList<>();

    private WakeAfterCommit(WakeUps wakeUps) {
        this.wakeUps = wakeUps;
    }

    static void add(WakeUps wakeUps, List<NewJob> jobs) {
        if (!TransactionSynchronizationManager.isSynchronizationActive()) {
            return;
        }
        WakeAfterCommit current = TransactionSynchronizationManager.getSynchronizations().stream()
                .filter(WakeAfterCommit.class::isInstance)
                .map(WakeAfterCommit.class::cast)
                .filter(each -> each.wakeUps == wakeUps)
                .findFirst()
                .orElse(null);
        if (current == null) {
            current = new WakeAfterCommit(wakeUps);
            TransactionSynchronizationManager.registerSynchronization(current);
        }
        current.jobs.addAll(jobs);
    }

    @Override
    public void afterCommit() {
        wakeUps.published(jobs);
    }
}
