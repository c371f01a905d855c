package dev.jobqueue.internal.db;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.JobState;
import dev.jobqueue.internal.QueueFixture;
import dev.jobqueue.internal.Uuids;
import dev.jobqueue.internal.claim.ClaimCalls;
import dev.jobqueue.internal.handle.ClaimedJob;
import dev.jobqueue.internal.node.NodeCalls;
import dev.jobqueue.internal.node.NodeCalls.Registration;
import dev.jobqueue.internal.node.NodeCalls.Verdict;
import dev.jobqueue.internal.publish.NewJob;
import dev.jobqueue.internal.publish.NewJobs;
import dev.jobqueue.internal.publish.PublishCalls;
import dev.jobqueue.internal.settle.JobLease;
import dev.jobqueue.internal.settle.SettleCalls;
import dev.jobqueue.internal.settle.SettleCalls.Completion;
import dev.jobqueue.internal.settle.SettleCalls.Failed;
import dev.jobqueue.internal.settle.SettleCalls.Failure;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.UUID;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

/** Arrays arrive as they are, whatever protocol the connection speaks and whatever is wrapped around the driver. */
class ArraysIntegrationTests {

    private static final UUID ID = UUID.fromString("fedcba98-7654-4321-8fed-cba987654321");

    private static final QueueFixture queue = new QueueFixture();

    private SingleConnectionDataSource connection;

    @BeforeEach
    void reset() {
        queue.reset();
        connection = queue.connect();
    }

    @AfterEach
    void close() {
        connection.destroy();
    }

    @ParameterizedTest
    @CsvSource({
        "preferQueryMode, extended",
        "preferQueryMode, extendedForPrepared",
        "preferQueryMode, extendedCacheEverything",
        "preferQueryMode, simple",
        "prepareThreshold, 0",
        "prepareThreshold, 1",
        "binaryTransfer, false"
    })
    void areTheSameByWhateverProtocol(String option, String value) {
        Properties properties = new Properties();
        properties.putAll(connection.getConnectionProperties());
        properties.setProperty(option, value);
        connection.setConnectionProperties(properties);

        liveAndDie(Sql.apart(connection, QueueFixture.SCHEMA));
        liveAndDie(Sql.apart(connection, QueueFixture.SCHEMA));
    }

    @Test
    void areTheSameBehindAWrapperThatHidesTheDriver() {
        DelegatingDataSource wrapper = new DelegatingDataSource(connection) {
            @Override
            public Connection getConnection() throws SQLException {
                return hidden(Connection.class, super.getConnection(), null);
            }
        };

        liveAndDie(Sql.apart(wrapper, QueueFixture.SCHEMA));
    }

    static Stream<List<UUID>> ids() {
        return Stream.of(List.of(), List.of(ID), java.util.Arrays.asList(ID, null, new UUID(0, -1)));
    }

    @ParameterizedTest
    @MethodSource("ids")
    void areEmptyAndHaveNullsInThem(List<UUID> ids) {
        assertThat(Sql.apart(connection, QueueFixture.SCHEMA)
                        .query(
                                "SELECT unnest(given) FROM (SELECT ?::uuid[]) AS one (given) WHERE given IS NOT NULL",
                                statement -> Arrays.bind(statement, 1, "uuid", ids, id -> id),
                                results -> results.getObject(1, UUID.class)))
                .isEqualTo(ids);
    }

    /** Five jobs, of which one is settled in each of the ways that name many. */
    private static void liveAndDie(Sql sql) {
        ClaimCalls taking = new ClaimCalls(sql);
        SettleCalls settlements = new SettleCalls(sql);
        NodeCalls workers = new NodeCalls(sql);
        Registration node = new Registration(UUID.randomUUID(), "host", 1, "1", null, null);
        JobLease strange = new JobLease(ID, 1);
        queue.reset();
        List<NewJob> five = IntStream.range(0, 5)
                .mapToObj(i -> NewJobs.of(Uuids.next(), "mail", "{\"n\":" + i + "}"))
                .toList();

        assertThat(new PublishCalls(sql).publish(five, false)).hasSize(5);
        List<JobLease> claims = taking.claim(node.id(), Map.of("default", 5), null).stream()
                .map(ClaimedJob::lease)
                .toList();
        assertThat(settlements.completeAll(List.of(new Completion(claims.get(0), null), new Completion(strange, null))))
                .containsExactly(ID);
        assertThat(settlements.failAll(
                        List.of(new Failure(claims.get(1), "x", true), new Failure(claims.get(2), "x", false))))
                .usingRecursiveFieldByFieldElementComparatorIgnoringFields("runAt")
                .containsExactly(
                        new Failed(claims.get(1).id(), JobState.SCHEDULED, null),
                        new Failed(claims.get(2).id(), JobState.DEAD, null));
        assertThat(settlements.release(List.of(strange, claims.get(3)))).containsExactly(ID);
        assertThat(workers.heartbeat(node, List.of(strange, claims.get(4))))
                .containsExactly(new Verdict(strange, false));
        assertThat(workers.heartbeat(node, List.of())).isEmpty();

        assertThat(claims.stream().map(lease -> queue.stateOf(lease.id())))
                .containsExactly(
                        JobState.COMPLETED, JobState.SCHEDULED, JobState.DEAD, JobState.PENDING, JobState.RUNNING);
    }

    /** Shows nothing of the driver; the statements do not either. */
    private static <T> T hidden(Class<T> type, Object target, Connection owner) {
        ClassLoader loader = ArraysIntegrationTests.class.getClassLoader();
        return type.cast(Proxy.newProxyInstance(loader, new Class<?>[] {type}, (proxy, method, arguments) -> {
            try {
                return switch (method.getName()) {
                    case "isWrapperFor" -> false;
                    case "unwrap" -> throw new SQLException("nothing to unwrap");
                    case "getConnection" -> owner;
                    case "prepareStatement" ->
                        hidden(PreparedStatement.class, method.invoke(target, arguments), (Connection) proxy);
                    default -> method.invoke(target, arguments);
                };
            } catch (InvocationTargetException ex) {
                throw ex.getCause();
            }
        }));
    }
}
