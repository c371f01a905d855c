package dev.jobqueue.internal.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.jobqueue.InvalidJobException;
import dev.jobqueue.Job;
import dev.jobqueue.JobPublisher;
import dev.jobqueue.internal.HandlerRegistry;
import dev.jobqueue.internal.Instrumentation;
import dev.jobqueue.internal.Json;
import dev.jobqueue.internal.QueueEvents;
import dev.jobqueue.internal.publish.GroupCommit;
import dev.jobqueue.internal.publish.QueuePublisher;
import dev.jobqueue.internal.publish.WakeUps;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;
import tools.jackson.databind.json.JsonMapper;

/** Many jobs that go by COPY: all of them or none, and the connection can be used afterwards, whatever happened. */
class OrdinaryJobsIntegrationTests {

    private static final int MANY = 300;

    /** Where one is that is not like the others: some have been sent by then. */
    private static final int LATE = 219;

    private static final QueueFixture queue = new QueueFixture();

    /** One connection, so that the next call meets what the last one left behind. */
    private SingleConnectionDataSource connection;

    private JobPublisher publisher;
    private TransactionTemplate transaction;

    @BeforeEach
    void connect() {
        queue.reset();
        connection = queue.connect();
        publisher = publisher(connection);
        transaction = new TransactionTemplate(new JdbcTransactionManager(connection));
    }

    @AfterEach
    void close() {
        connection.destroy();
    }

    private static JobPublisher publisher(DataSource dataSource) {
        Publications apart = new Publications(Sql.apart(dataSource, QueueFixture.SCHEMA));
        return new QueuePublisher(
                new Publications(Sql.joining(dataSource, QueueFixture.SCHEMA)),
                new GroupCommit(apart, new WakeUps(apart, false, QueueEvents.NONE)),
                new HandlerRegistry(),
                new Json(JsonMapper.builder().build()),
                Instrumentation.NONE,
                false);
    }

    /** Long enough that a few of them fill what is sent at once. */
    private static Job ordinary(int number) {
        return Job.of("mail", Map.of("n", number, "text", "x".repeat(200)));
    }

    private static List<Job> manyOrdinary() {
        return IntStream.range(0, MANY)
                .mapToObj(OrdinaryJobsIntegrationTests::ordinary)
                .toList();
    }

    private static List<Job> manyWith(int index, Job other) {
        List<Job> jobs = new ArrayList<>(manyOrdinary());
        jobs.set(index, other);
        return jobs;
    }

    /** Jobs that cannot go by COPY, but can be published. */
    private static List<Job> unusual() {
        return List.of(
                Job.of("mail", Map.of("n", -1, "text", "x".repeat(50_000))),
                Job.of("mail", Map.of("n", -1, "text", "ß".repeat(500))),
                Job.of("Größe 7", Map.of("n", -1)),
                Job.of("mail", Map.of("n", -1)).queue("Größe 7"),
                Job.of("mail", Map.of("n", -1)).uniqueKey("k"));
    }

    static Stream<List<Job>> manyWithAnUnusualOne() {
        return Stream.of(0, LATE, MANY - 1).flatMap(index -> unusual().stream().map(other -> manyWith(index, other)));
    }

    /** Each job once, and no other. */
    private static void areThere(List<Job> jobs, List<UUID> ids) {
        assertThat(ids).hasSameSizeAs(jobs).doesNotHaveDuplicates();
        Map<UUID, String> stored =
                queue.list(String.class, "SELECT concat_ws(' ', id, type, payload ->> 'n') FROM queue.job").stream()
                        .collect(Collectors.toMap(
                                row -> UUID.fromString(row.substring(0, 36)), row -> row.substring(37)));
        assertThat(stored).hasSameSizeAs(jobs);
        for (int i = 0; i < jobs.size(); i++) {
            Map<?, ?> payload = (Map<?, ?>) jobs.get(i).payload();
            assertThat(stored).containsEntry(ids.get(i), jobs.get(i).type() + " " + payload.get("n"));
        }
    }

    private static long stored() {
        return queue.one(Long.class, "SELECT count(*) FROM queue.job");
    }

    private void publishesStill() {
        long before = stored();
        publisher.publish("mail", Map.of("n", 0));
        assertThat(stored()).isEqualTo(before + 1);
        publisher.publishAll(manyOrdinary());
        assertThat(stored()).isEqualTo(before + 1 + MANY);
    }

    /** Cannot be written as JSON. */
    static final class Unwritable {

        private final List<String> texts = List.of();

        public String getText() {
            return texts.get(0);
        }
    }

    /** Whatever connection it is. */
    abstract class WithoutATransactionOfTheCaller {

        @Test
        void areAllThere() {
            areThere(manyOrdinary(), publisher.publishAll(manyOrdinary()));
        }

        @ParameterizedTest
        @MethodSource("dev.jobqueue.internal.store.OrdinaryJobsIntegrationTests#manyWithAnUnusualOne")
        void areThereOnceIfOneIsUnusual(List<Job> jobs) {
            areThere(jobs, publisher.publishAll(jobs));
        }

        @ParameterizedTest
        @ValueSource(ints = {0, LATE, MANY - 1})
        void areRefusedTogetherIfOneCannotBeWritten(int index) {
            assertThatExceptionOfType(InvalidJobException.class)
                    .isThrownBy(() -> publisher.publishAll(manyWith(index, Job.of("mail", new Unwritable()))))
                    .withMessageContaining("cannot be written as JSON");

            assertThat(stored()).isZero();
            publishesStill();
        }

        @Test
        void areRefusedTogetherIfTheServerRefusesOne() {
            assertThatExceptionOfType(InvalidJobException.class)
                    .isThrownBy(() -> publisher.publishAll(manyWith(LATE, Job.of("mail", Map.of("text", "\0")))));

            assertThat(stored()).isZero();
            publishesStill();
        }
    }

    @Nested
    class OnAnOrdinaryConnection extends WithoutATransactionOfTheCaller {

        @ParameterizedTest
        @ValueSource(ints = {0, LATE, MANY - 1})
        void areRefusedTogetherIfOneIsNoJson(int index) {
            Publications apart = new Publications(Sql.apart(connection, QueueFixture.SCHEMA));
            List<NewJob> jobs = newJobs();
            jobs.set(index, NewJob.of(UUID.randomUUID(), "mail", "oops"));

            assertThatExceptionOfType(InvalidJobException.class).isThrownBy(() -> apart.publish(jobs, false));

            assertThat(stored()).isZero();
            publishesStill();
        }

        @Test
        void areRefusedTogetherIfAnIdIsTaken() {
            Publications apart = new Publications(Sql.apart(connection, QueueFixture.SCHEMA));
            List<NewJob> jobs = newJobs();
            jobs.set(LATE, jobs.get(0));

            assertThatExceptionOfType(DuplicateKeyException.class).isThrownBy(() -> apart.publish(jobs, false));

            assertThat(stored()).isZero();
            publishesStill();
        }

        private List<NewJob> newJobs() {
            return IntStream.range(0, MANY)
                    .mapToObj(i -> NewJob.of(UUID.randomUUID(), "mail", '"' + "x".repeat(200) + '"'))
                    .collect(Collectors.toCollection(ArrayList::new));
        }
    }

    @Nested
    class InATransaction {

        @Test
        void areAllThereWhenItCommits() {
            areThere(manyOrdinary(), transaction.execute(status -> {
                List<UUID> ids = publisher.publishAll(manyOrdinary());
                assertThat(stored()).as("seen before the commit").isZero();
                return ids;
            }));
        }

        @Test
        void areNotThereWhenItRollsBack() {
            transaction.executeWithoutResult(status -> {
                publisher.publishAll(manyOrdinary());
                status.setRollbackOnly();
            });

            assertThat(stored()).isZero();
            publishesStill();
        }

        @ParameterizedTest
        @MethodSource("dev.jobqueue.internal.store.OrdinaryJobsIntegrationTests#manyWithAnUnusualOne")
        void areThereOnceIfOneIsUnusual(List<Job> jobs) {
            areThere(jobs, transaction.execute(status -> publisher.publishAll(jobs)));
        }

        @ParameterizedTest
        @ValueSource(ints = {0, LATE, MANY - 1})
        void leaveItUsableIfOneCannotBeWritten(int index) {
            List<Job> bad = manyWith(index, Job.of("mail", new Unwritable()));

            areThere(List.of(ordinary(7)), transaction.execute(status -> {
                assertThatExceptionOfType(InvalidJobException.class).isThrownBy(() -> publisher.publishAll(bad));
                return List.of(publisher.publish(ordinary(7)));
            }));
        }
    }

    @Nested
    class OnAConnectionThatHidesTheDriver extends WithoutATransactionOfTheCaller {

        @BeforeEach
        void hide() {
            publisher = publisher(new DelegatingDataSource(connection) {
                @Override
                public Connection getConnection() throws SQLException {
                    return hidden(super.getConnection());
                }
            });
        }

        private Connection hidden(Connection target) {
            return (Connection) Proxy.newProxyInstance(
                    getClass().getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                        if (method.getName().equals("isWrapperFor")) {
                            return false;
                        }
                        if (method.getName().equals("unwrap")) {
                            throw new SQLException("nothing to unwrap");
                        }
                        try {
                            return method.invoke(target, arguments);
                        } catch (InvocationTargetException ex) {
                            throw ex.getCause();
                        }
                    });
        }
    }

    /** As from a pool that is told so; whoever gets one commits or rolls back. */
    @Nested
    class OnAConnectionThatDoesNotCommitByItself extends WithoutATransactionOfTheCaller {

        @BeforeEach
        void doNotCommit() {
            connection.setAutoCommit(false);
        }

        @Test
        void areNotThereWhenTheTransactionRollsBack() {
            transaction.executeWithoutResult(status -> {
                publisher.publishAll(manyOrdinary());
                status.setRollbackOnly();
            });

            assertThat(stored()).isZero();
        }
    }
}
