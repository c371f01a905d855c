package dev.jobqueue.test.shop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import com.zaxxer.hikari.HikariDataSource;
import dev.jobqueue.JobPublisher;
import dev.jobqueue.autoconfigure.QueueAutoConfiguration;
import dev.jobqueue.operate.JobOperations;
import dev.jobqueue.postgres.TestDatabase;
import dev.jobqueue.test.AutoConfigureJobTest;
import dev.jobqueue.test.JobTester;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Instant;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.postgresql.PGConnection;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Connections, clocks and databases that are not as usual. */
class UnusualSourcesIntegrationTests {

    private static final Instant LATER = Instant.parse("2030-01-01T00:00:00Z");

    private final TestDatabase database = TestDatabase.create();

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    DataSourceAutoConfiguration.class,
                    DataSourceTransactionManagerAutoConfiguration.class,
                    QueueAutoConfiguration.class))
            .withUserConfiguration(ElsewhereHandlers.class)
            .withPropertyValues(
                    "spring.datasource.url=" + database.jdbcUrl(),
                    "spring.datasource.username=" + database.username(),
                    "spring.datasource.password=" + database.password(),
                    "queue.worker.enabled=false");

    @AutoConfigureJobTest
    static class Tested {}

    private ApplicationContextRunner tested() {
        return application.withUserConfiguration(Tested.class);
    }

    @Test
    void mayBeConnectionsThatAreFetchedLate() {
        tested().withPropertyValues("spring.datasource.connection-fetch=lazy")
                .run(UnusualSourcesIntegrationTests::movesItsTimeAndGoesBack);
    }

    @Test
    void mayBeAProxyOfAPoolThatIsNoBean() {
        tested().withBean("late", DataSource.class, () -> new LazyConnectionDataSourceProxy(pool()))
                .run(UnusualSourcesIntegrationTests::movesItsTimeAndGoesBack);
        tested().withBean("joining", DataSource.class, () -> new TransactionAwareDataSourceProxy(pool()))
                .run(UnusualSourcesIntegrationTests::movesItsTimeAndGoesBack);
    }

    /** In transactions that commit, where the setting of a session stays. */
    private static void movesItsTimeAndGoesBack(AssertableApplicationContext context) {
        JobTester jobs = context.getBean(JobTester.class);
        JobPublisher publisher = context.getBean(JobPublisher.class);
        TransactionTemplate transaction = new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
        transaction.executeWithoutResult(status -> {
            jobs.setTime(LATER);
            publisher.publish("elsewhere.log", "nowhere");
            assertThat(jobs.drain()).isEqualTo(1);
        });
        publisher.publish("elsewhere.log", "nowhere");
        assertThat(jobs.publishedJobs())
                .hasSize(2)
                .allSatisfy(job -> assertThat(job.createdAt()).isAfterOrEqualTo(LATER));
        jobs.deleteAll();
        publisher.publish("elsewhere.log", "nowhere");
        transaction.executeWithoutResult(status -> publisher.publish("elsewhere.log", "nowhere"));
        assertThat(jobs.publishedJobs())
                .hasSize(2)
                .allSatisfy(job -> assertThat(job.createdAt()).isBefore(LATER));
        jobs.deleteAll();
    }

    private HikariDataSource pool() {
        HikariDataSource pool = new HikariDataSource();
        pool.setJdbcUrl(database.jdbcUrl());
        pool.setUsername(database.username());
        pool.setPassword(database.password());
        pool.setMaximumPoolSize(3);
        return pool;
    }

    @Test
    void mayBeADatabaseThatIsNoPostgreSql() throws SQLException {
        Connection foreign = mock(Connection.class);
        when(foreign.isWrapperFor(PGConnection.class)).thenReturn(false);
        DataSource dataSource = mock(DataSource.class);
        when(dataSource.getConnection()).thenReturn(foreign);
        tested().withBean(
                        "foreign",
                        DataSource.class,
                        () -> dataSource,
                        definition -> definition.setAutowireCandidate(false))
                .withBean("own", DataSource.class, this::pool)
                .run(context -> {
                    context.getBean(JobTester.class).setTime(LATER);
                    assertThat(context.getBean("foreign", DataSource.class).getConnection())
                            .isSameAs(foreign);
                });
    }

    @Test
    void mayBeMocks() {
        tested().withBean(Clock.class, () -> mock(Clock.class))
                .withBean(JobOperations.class, () -> mock(JobOperations.class))
                .run(context -> {
                    context.getBean(JobPublisher.class).publish("elsewhere.log", "nowhere");
                    JobTester jobs = context.getBean(JobTester.class);
                    assertThat(jobs.runNext()).isPresent();
                    assertThat(jobs).completed("elsewhere.log");
                });
    }

    @Test
    void areRefusedToARoleThatOwnsNothing() {
        JdbcTemplate owner = new JdbcTemplate(database.dataSource());
        application.run(context -> owner.execute("CREATE ROLE kit_reader; GRANT USAGE ON SCHEMA queue TO kit_reader;"
                + " GRANT SELECT ON ALL TABLES IN SCHEMA queue TO kit_reader;"
                + " GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA queue TO kit_reader"));
        try {
            tested().withPropertyValues(
                            "spring.datasource.hikari.connection-init-sql=SET ROLE kit_reader",
                            "queue.schema.migrate=false")
                    .run(context -> assertThat(context)
                            .getFailure()
                            .hasStackTraceContaining("The clock of the tests cannot be put into the schema 'queue':"
                                    + " ERROR: permission denied for schema queue. Tests connect as the owner"));
        } finally {
            owner.execute("DROP OWNED BY kit_reader; DROP ROLE kit_reader");
        }
    }

    @Test
    void areAskedForIfThereAreNone() {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(QueueAutoConfiguration.class))
                .withUserConfiguration(Tested.class)
                .run(context -> assertThat(context)
                        .getFailure()
                        .hasMessageStartingWith("@JobTest and @AutoConfigureJobTest find no queue: there is no Data"));
        tested().withPropertyValues("queue.enabled=false")
                .run(context -> assertThat(context).getFailure().hasMessageContaining("or queue.enabled is false"));
    }
}
