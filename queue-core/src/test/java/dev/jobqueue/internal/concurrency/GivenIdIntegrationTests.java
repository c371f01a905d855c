package dev.jobqueue.internal.concurrency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobqueue.internal.Places;
import dev.jobqueue.internal.handle.ClaimedJob;
import dev.jobqueue.internal.publish.NewJobs;
import dev.jobqueue.internal.settle.JobLease;
import dev.jobqueue.postgres.TestDatabase;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.dao.ConcurrencyFailureException;

/** A given id is one job, also for a transaction that does not see what became of it meanwhile. */
class GivenIdIntegrationTests {

    private static final TestDatabase database = Session.database();

    private final UUID id = UUID.randomUUID();
    private Session publisher;
    private Session worker;

    @BeforeEach
    void open() throws SQLException {
        publisher = Session.open(database);
        worker = Session.open(database);
    }

    @AfterEach
    void close() throws SQLException {
        Places.audit(database);
        publisher.close();
        worker.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"REPEATABLE READ", "SERIALIZABLE"})
    void isRefusedWhenPublishedAndHandledAfterTheSnapshot(String isolation) throws SQLException {
        beginWithASnapshot(isolation);
        publish(worker);
        handle();

        assertThatThrownBy(() -> publish(publisher)).isInstanceOf(ConcurrencyFailureException.class);
        publisher.execute("ROLLBACK");
        assertThat(publish(publisher)).as("tried again").containsExactly(id);
        assertHandledOnce();
    }

    @ParameterizedTest
    @ValueSource(strings = {"REPEATABLE READ", "SERIALIZABLE"})
    void isRefusedInSqlToo(String isolation) throws SQLException {
        beginWithASnapshot(isolation);
        publish(worker);
        handle();

        assertThatThrownBy(() -> publisher.execute(
                        "SELECT queue.publish_many(ids => ARRAY[?::uuid], types => '{test}', payloads => '{1}')",
                        id.toString()))
                .isInstanceOfSatisfying(
                        SQLException.class, ex -> assertThat(ex.getSQLState()).isEqualTo("40001"));
        publisher.execute("ROLLBACK");
        assertHandledOnce();
    }

    @ParameterizedTest
    @ValueSource(strings = {"READ COMMITTED", "REPEATABLE READ", "SERIALIZABLE"})
    void isNotPublishedAgainWhenHandledAfterTheSnapshot(String isolation) throws SQLException {
        publish(worker);
        beginWithASnapshot(isolation);
        handle();

        assertThat(publish(publisher)).containsExactly(id);
        publisher.execute("COMMIT");
        assertHandledOnce();
    }

    private void beginWithASnapshot(String isolation) throws SQLException {
        publisher.execute("BEGIN ISOLATION LEVEL " + isolation);
        publisher.execute("SELECT count(*) FROM queue.live_job");
    }

    private List<UUID> publish(Session session) {
        return session.publications.publish(
                List.of(NewJobs.with(id, "test", "{}").givenId(true).build()), false);
    }

    private void handle() {
        List<JobLease> claims = worker.claim(10).stream().map(ClaimedJob::lease).toList();
        assertThat(claims).extracting(JobLease::id).containsExactly(id);
        assertThat(worker.complete(claims)).isEmpty();
    }

    private void assertHandledOnce() throws SQLException {
        assertThat(worker.number("SELECT count(*) FROM queue.live_job")).isZero();
        assertThat(worker.number("SELECT count(*) FROM queue.job_history WHERE id = ?::uuid", id.toString()))
                .isOne();
    }
}
