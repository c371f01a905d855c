package dev.jobqueue.internal.handle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import dev.jobqueue.InvalidJobException;
import dev.jobqueue.LeaseLostException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.transaction.CannotCreateTransactionException;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.TransactionCallback;
import org.springframework.transaction.support.TransactionOperations;

class ReportSenderTests {

    private final AtomicInteger failures = new AtomicInteger();
    private final List<String> told = new CopyOnWriteArrayList<>();
    private final ReportSender sender = new ReportSender(new Transactions(), null);
    private final Reports reports = new Reports();
    private final RunningJob job = job();

    @AfterEach
    void close() {
        sender.close();
    }

    @Test
    void sendsAgainByItselfWhatItGotNoConnectionFor() {
        failures.set(2);
        job.enter();
        report("extend");

        await().atMost(Duration.ofSeconds(60)).until(() -> told.contains("extend"));
    }

    @Test
    void isAskedAgainByTheNextReportAfterAFailure() {
        failures.set(1);
        assertThat(reports.add(calls -> told.add("first"))).isTrue();
        sender.sendNow(job, reports);

        assertThat(reports.add(calls -> told.add("second"))).isTrue();
        sender.sendNow(job, reports);

        assertThat(told).containsExactly("first", "second");
    }

    /** What was sent before it is sent again, because its transaction was rolled back. */
    @Test
    void letsARefusedReportStopNoneBehindIt() {
        reports.add(calls -> told.add("before"));
        reports.add(calls -> {
            throw new InvalidJobException("on purpose");
        });
        reports.add(calls -> told.add("behind"));
        sender.sendNow(job, reports);

        assertThat(told).containsExactly("before", "before", "behind");
        assertThat(reports.isEmpty()).isTrue();
    }

    @Test
    void forgetsWhatARunReportsThatIsNoLongerThisWorkers() {
        reports.add(calls -> {
            throw new LeaseLostException("on purpose");
        });
        reports.add(calls -> told.add("behind"));
        sender.sendNow(job, reports);

        assertThat(told).isEmpty();
        assertThat(reports.isEmpty()).isTrue();
    }

    @Test
    void getsNoReportThatTheDatabaseWouldRefuse() {
        assertThatExceptionOfType(InvalidJobException.class)
                .isThrownBy(() -> job.context().log("a\0b"))
                .withMessage("message has a NUL character, which PostgreSQL cannot store");
        assertThatExceptionOfType(InvalidJobException.class)
                .isThrownBy(() -> job.context().progress(1, "a\0b"))
                .withMessageStartingWith("stage has a NUL character");
        assertThatExceptionOfType(InvalidJobException.class)
                .isThrownBy(() -> job.context().progress(1, "x".repeat(201)))
                .withMessage("stage has 201 characters: must have at most 200");
    }

    private void report(String report) {
        if (reports.add(calls -> told.add(report))) {
            sender.send(job, reports);
        }
    }

    /** Without the tools of a handler, for none is called. */
    private static RunningJob job() {
        return new RunningJob(ClaimedJobs.job("t"), true, null);
    }

    private final class Transactions implements TransactionOperations {

        @Override
        public <T> T execute(TransactionCallback<T> action) {
            if (failures.getAndDecrement() > 0) {
                throw new CannotCreateTransactionException(
                        "on purpose", new SQLTransientConnectionException("timeout"));
            }
            return action.doInTransaction((TransactionStatus) null);
        }
    }
}
