package dev.jobqueue.survival.check;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.survival.check.Snapshot.BusinessRow;
import dev.jobqueue.survival.cluster.Cluster.Termination;
import dev.jobqueue.survival.ledger.Ledger;
import dev.jobqueue.survival.ledger.Ledgers;
import dev.jobqueue.survival.ledger.Verb;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Whoever checks is checked: evidence of a broken promise is noticed, and evidence of a hard life is not taken for one.
 */
class InvariantsTests {

    private static final String ONE = "worker-1.0";
    private static final String OTHER = "worker-2.0";
    private static final long LEASE = 10;
    private static final long LATER = 20;

    @TempDir
    Path directory;

    private final UUID id = UUID.randomUUID();
    private final UUID child = UUID.randomUUID();
    private final Snapshot database = new Snapshot();
    private Ledger producer;
    private Ledger one;
    private Ledger other;

    @BeforeEach
    void open() {
        producer = Ledger.open(directory, "producer.0");
        one = Ledger.open(directory, ONE);
        other = Ledger.open(directory, OTHER);
    }

    @Test
    void acceptsAJobThatWasHandledOnce() {
        published();
        handled(one, LEASE, 1);
        finished("plain", "COMPLETED", 1);

        assertThat(violations()).isEmpty();
    }

    @Test
    void acceptsAZombieThatIsRefused() {
        published();
        write(one, 1, Verb.STARTED, LEASE, 1);
        handled(other, LATER, 2);
        write(one, 9, Verb.REFUSED, LEASE, 1);
        finished("plain", "COMPLETED", 2);

        assertThat(violations()).isEmpty();
    }

    @Test
    void acceptsAClaimThatACrashForgot() {
        published();
        write(one, 1, Verb.STARTED, LEASE, 1);
        write(one, 2, Verb.REFUSED, LEASE, 1);
        handled(other, LATER, 1);
        finished("plain", "COMPLETED", 1);

        assertThat(violations()).isEmpty();
    }

    @Test
    void noticesAJobThatIsGone() {
        published();

        assertThat(violations()).containsExactly("a committed job is still there: job " + id + " is gone");
    }

    @Test
    void noticesAnOrderWithoutItsJob() {
        database.orders().add(id);

        assertThat(violations()).singleElement().asString().contains("the job did not");
    }

    @Test
    void noticesAJobThatWasRolledBack() {
        producer.write(Verb.INTENDED, id);
        producer.write(Verb.ROLLED_BACK, id);
        finished("plain", "PENDING", 0);

        assertThat(violations()).containsExactly("a job that was not committed is not there: job " + id + " appeared");
    }

    @Test
    void noticesAJobThatNobodyPublished() {
        finished("plain", "PENDING", 0);

        assertThat(violations()).singleElement().asString().contains("nobody published");
    }

    @Test
    void noticesAJobInTwoPlaces() {
        published();
        finished("plain", "PENDING", 0);
        finished("plain", "PENDING", 0);

        assertThat(violations()).singleElement().asString().startsWith("a job is in one place");
    }

    @Test
    void noticesALiveJobThatStandsNowhere() {
        published();
        finished("plain", "PENDING", 0);
        database.misplaced().put(id, "1 jobs, 0 places");

        assertThat(violations())
                .containsExactly(
                        "a live job is ready, scheduled, waiting or leased, once: " + id + " has 1 jobs, 0 places");
    }

    @Test
    void noticesAJobThatWasCompletedBeforeItWasHandled() {
        published();
        write(one, 1, Verb.STARTED, LEASE, 1);
        finished("plain", "COMPLETED", 1);

        assertThat(violations()).singleElement().asString().contains("no handler finished job " + id);
    }

    @Test
    void noticesAZombieThatCompletes() {
        published();
        handled(one, LEASE, 1);
        handled(other, LATER, 2);
        write(other, 9, Verb.REFUSED, LATER, 2);
        finished("plain", "COMPLETED", 2);

        assertThat(violations()).singleElement().asString().contains("completed by somebody else");
    }

    @Test
    void noticesALateCallThatIsAccepted() {
        published();
        write(one, 1, Verb.STARTED, LEASE, 1);
        handled(other, LATER, 2);
        write(one, 9, Verb.ACCEPTED, LEASE, 1);
        finished("plain", "COMPLETED", 2);

        assertThat(violations()).singleElement().asString().startsWith("a zombie is refused");
    }

    @Test
    void noticesARowWrittenTwiceOrByTheWrongAttempt() {
        published();
        handled(one, LEASE, 1);
        finished("transactional", "COMPLETED", 1);
        childOf(2);

        assertThat(violations()).singleElement().asString().startsWith("a transactional handler's row");
        childOf(1);
        assertThat(violations()).singleElement().asString().startsWith("a transactional handler's row");
    }

    @Test
    void noticesAChildWithoutItsParent() {
        database.add(new JobRow(child, "child", "PENDING", 0, true, false));

        assertThat(violations()).singleElement().asString().startsWith("a child commits with its parent");
    }

    @Test
    void noticesADeathAndACancellationWithoutReason() {
        published();
        finished("plain", "DEAD", 3);
        assertThat(violations()).singleElement().asString().startsWith("a job dies");

        database.jobs().clear();
        finished("plain", "CANCELLED", 0);
        assertThat(violations()).singleElement().asString().startsWith("a job dies");
    }

    @Test
    void noticesAnAttemptThatASigtermFailed() {
        published();
        write(one, 5, Verb.STARTED, LEASE, 1);
        finished("plain", "SCHEDULED", 1);
        database.errors().put(id, Map.of(1, "interrupted"));

        assertThat(violations(new Termination(ONE, 0, 6)))
                .singleElement()
                .asString()
                .contains("interrupted");
        // it began when an earlier fault was not over
        assertThat(violations(new Termination(ONE, 5, 6))).isEmpty();
    }

    @Test
    void acceptsAnAttemptThatWasGivenBackAndFailedElsewhere() {
        published();
        write(one, 5, Verb.STARTED, LEASE, 1);
        write(other, 7, Verb.STARTED, LATER, 1);
        finished("plain", "SCHEDULED", 1);
        database.errors().put(id, Map.of(1, "connection lost"));

        assertThat(violations(new Termination(ONE, 0, 6))).isEmpty();
    }

    @Test
    void noticesALeaseThatTwoHold() {
        published();
        write(one, 1, Verb.STARTED, LEASE, 1);
        write(other, 2, Verb.STARTED, LEASE, 1);
        finished("plain", "RUNNING", 1);

        assertThat(violations())
                .hasSize(2)
                .allSatisfy(violation -> assertThat(violation).startsWith("a lease is held once"));
    }

    @Test
    void noticesAJobThatWasClaimedTooEarly() {
        published();
        database.add(new JobRow(id, "plain", "RUNNING", 1, false, true));

        assertThat(violations()).singleElement().asString().startsWith("a job is not claimed before it is due");
    }

    private void published() {
        producer.write(Verb.INTENDED, id);
        producer.write(Verb.COMMITTED, id);
    }

    private void handled(Ledger worker, long lease, int attempt) {
        write(worker, 2, Verb.STARTED, lease, attempt);
        write(worker, 3, Verb.FINISHED, lease, attempt);
    }

    private void write(Ledger worker, long time, Verb verb, long lease, int attempt) {
        worker.write(time, verb, id, lease, attempt, "plain");
    }

    private void finished(String type, String state, int attempt) {
        database.add(new JobRow(id, type, state, attempt, false, false));
    }

    private void childOf(int attempt) {
        database.jobs().remove(child);
        database.add(new JobRow(child, "child", "PENDING", 0, true, false));
        database.add(new BusinessRow(id, attempt, child));
    }

    private List<String> violations(Termination... terminations) {
        Ledgers ledgers = new Ledgers(directory).refresh();
        return Invariants.violations(
                new Evidence(ledgers.ids(Verb.COMMITTED), database, ledgers, List.of(terminations)));
    }
}
