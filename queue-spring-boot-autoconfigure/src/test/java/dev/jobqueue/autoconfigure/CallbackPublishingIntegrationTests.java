package dev.jobqueue.autoconfigure;

import static dev.jobqueue.autoconfigure.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.jobqueue.Job;
import dev.jobqueue.JobHandler;
import dev.jobqueue.JobState;
import dev.jobqueue.postgres.TestDatabase;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.context.annotation.Bean;
import org.springframework.core.Ordered;
import org.springframework.core.PriorityOrdered;
import org.springframework.core.env.Environment;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Publishing in the callbacks of a transaction, whose connection is still bound to the thread then. */
class CallbackPublishingIntegrationTests {

    /** Neither listens nor polls: it handles only what it is woken for. */
    private static final String[] WOKEN_ONLY = {"queue.listener.enabled=false", "queue.worker.poll-interval=1h"};

    private static final String[] PUBLISHES_ONLY = {
        "queue.worker.enabled=false", "queue.listener.enabled=false", "spring.datasource.hikari.connection-timeout=2000"
    };

    private final TestDatabase database = MigratedDatabase.create();
    private final JobRows rows = new JobRows(database);
    private final UUID id = UUID.randomUUID();
    private Node node;

    @BeforeEach
    void createTable() {
        rows.jdbc().sql("CREATE TABLE note (text text)").update();
    }

    @AfterEach
    void stop() {
        if (node != null) {
            node.close();
        }
    }

    @ParameterizedTest
    @CsvSource({"afterCommit, true", "afterCommit, false", "afterCompletion, true", "afterCompletion, false"})
    void needsNoSecondConnection(String callback, String autoCommit) {
        start(
                Plain.class,
                PUBLISHES_ONLY,
                "spring.datasource.hikari.maximum-pool-size=1",
                "spring.datasource.hikari.auto-commit=" + autoCommit);
        UUID ordinary = UUID.randomUUID();

        inTransaction(
                transactions(),
                () -> after(callback, () -> {
                    publish(id);
                    node.publisher().publish("ordinary", ordinary);
                }));

        assertThat(rows.state(id)).isPresent();
        assertThat(rows.jdbc()
                        .sql("SELECT count(*) FROM queue.job WHERE type = 'ordinary'")
                        .query(Long.class)
                        .single())
                .isOne();
        assertThat(notes()).as("the transaction itself").isOne();
    }

    @Test
    void needsNoSecondConnectionAfterARollback() {
        start(Plain.class, PUBLISHES_ONLY, "spring.datasource.hikari.maximum-pool-size=1");

        transactions().executeWithoutResult(status -> {
            note();
            after("afterCompletion", () -> publish(id));
            status.setRollbackOnly();
        });

        assertThat(rows.state(id)).isPresent();
        assertThat(notes()).isZero();
    }

    /** The other one goes for all who publish at the moment, and the only connection is held by one of them. */
    @Test
    void waitsForNoOtherPublisherWhoHasNoConnection() throws Exception {
        start(Plain.class, PUBLISHES_ONLY, "spring.datasource.hikari.maximum-pool-size=1");
        UUID other = UUID.randomUUID();
        HikariDataSource pool = node.bean(HikariDataSource.class);
        CompletableFuture<?>[] publishing = new CompletableFuture<?>[1];

        inTransaction(
                transactions(),
                () -> after("afterCommit", () -> {
                    publishing[0] =
                            CompletableFuture.runAsync(() -> node.publisher().publish("ordinary", other));
                    await().until(() -> pool.getHikariPoolMXBean().getThreadsAwaitingConnection() > 0);
                    node.publisher().publish("ordinary", id);
                }));

        publishing[0].get(60, TimeUnit.SECONDS);
        rows.awaitCount(JobState.PENDING, "ordinary", 2);
    }

    /** Nobody commits it: the pool rolls it back. */
    @Test
    void commitsNothingThatACallbackBeforeHasWritten() {
        start(Plain.class, PUBLISHES_ONLY, "spring.datasource.hikari.auto-commit=false");

        inTransaction(transactions(), () -> {
            after("afterCommit", this::note);
            after("afterCommit", () -> publish(id));
        });

        assertThat(rows.state(id)).isPresent();
        assertThat(notes()).isOne();
    }

    @ParameterizedTest
    @CsvSource({"afterCommit, true", "afterCommit, false", "afterCompletion, true", "afterCompletion, false"})
    void needsNoSecondConnectionAfterACallbackHasRead(String callback, String autoCommit) {
        start(
                Plain.class,
                PUBLISHES_ONLY,
                "spring.datasource.hikari.maximum-pool-size=1",
                "spring.datasource.hikari.auto-commit=" + autoCommit);

        inTransaction(
                transactions(),
                () -> after(callback, () -> {
                    read();
                    publish(id);
                    read();
                }));

        assertThat(rows.state(id)).isPresent();
        assertThat(notes()).isOne();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "INSERT INTO note VALUES ('by a callback')",
                "SELECT pg_advisory_xact_lock(7)",
                "LOCK TABLE note IN EXCLUSIVE MODE",
                "DECLARE reading CURSOR FOR SELECT * FROM note"
            })
    void endsNothingThatACallbackHasOpen(String statement) {
        start(Plain.class, PUBLISHES_ONLY, "spring.datasource.hikari.auto-commit=false");
        JdbcClient bound = node.bean(JdbcClient.class);
        List<String> transactions = new ArrayList<>();
        String own = "SELECT virtualxid FROM pg_locks WHERE pid = pg_backend_pid() AND locktype = 'virtualxid'";

        inTransaction(
                transactions(),
                () -> after("afterCommit", () -> {
                    node.bean(JdbcTemplate.class).execute(statement);
                    transactions.add(bound.sql(own).query(String.class).single());
                    publish(id);
                    transactions.add(bound.sql(own).query(String.class).single());
                }));

        assertThat(rows.state(id)).isPresent();
        assertThat(transactions.get(1)).as("the transaction after").isEqualTo(transactions.get(0));
    }

    @Test
    void worksAfterAReadOnlyTransaction() {
        start(Plain.class, PUBLISHES_ONLY, "spring.datasource.hikari.maximum-pool-size=1");
        TransactionTemplate readOnly = transactions();
        readOnly.setReadOnly(true);

        readOnly.executeWithoutResult(status -> after("afterCommit", () -> publish(id)));

        assertThat(rows.state(id)).isPresent();
    }

    @ParameterizedTest
    @ValueSource(strings = {"true", "false"})
    void isReadCommittedAfterATransactionThatIsNot(String autoCommit) {
        start(
                Plain.class,
                PUBLISHES_ONLY,
                "spring.datasource.hikari.maximum-pool-size=1",
                "spring.datasource.hikari.auto-commit=" + autoCommit);
        TransactionTemplate serializable = transactions();
        serializable.setIsolationLevel(TransactionDefinition.ISOLATION_SERIALIZABLE);
        rows.jdbc()
                .sql("CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO public.note"
                        + " VALUES (current_setting('transaction_isolation')); RETURN NULL; END $$")
                .update();
        rows.jdbc()
                .sql("CREATE TRIGGER note AFTER INSERT ON queue.job EXECUTE FUNCTION note()")
                .update();

        serializable.executeWithoutResult(status -> {
            note();
            after("afterCommit", () -> publish(id));
        });

        assertThat(rows.jdbc().sql("SELECT text FROM note").query(String.class).list())
                .containsExactlyInAnyOrder("written", "read committed");
    }

    @Test
    void wakesItsJobThoughAnotherCallbackThrows() {
        start(Plain.class, WOKEN_ONLY);

        assertThatThrownBy(() -> transactions().executeWithoutResult(status -> {
                    TransactionSynchronizationManager.registerSynchronization(new Throwing());
                    publish(id);
                }))
                .hasMessage("on purpose");

        rows.await(JobState.COMPLETED, id);
    }

    /** Of such a manager nobody can tell when it commits. */
    @Test
    void wakesItsJobThoughAnotherCallbackThrowsOfAManagerThatIsNoBean() {
        start(Plain.class, WOKEN_ONLY);

        assertThatThrownBy(() -> new TransactionTemplate(new JdbcTransactionManager(node.bean(DataSource.class)))
                        .executeWithoutResult(status -> {
                            TransactionSynchronizationManager.registerSynchronization(new Throwing());
                            publish(id);
                        }))
                .hasMessage("on purpose");

        rows.await(JobState.COMPLETED, id);
    }

    @Test
    void joinsATransactionWithoutCallbacks() {
        start(WithoutCallbacks.class, WOKEN_ONLY);
        UUID rolledBack = UUID.randomUUID();

        inTransaction(transactions(), () -> publish(id));
        transactions().executeWithoutResult(status -> {
            publish(rolledBack);
            status.setRollbackOnly();
        });

        assertThat(rows.state(rolledBack)).isEmpty();
        rows.await(JobState.COMPLETED, id);
    }

    /** Its manager was made before anybody could watch how managers are made. */
    @Test
    void isStoredOfAManagerThatAPostProcessorNeeded() {
        start(WithEarlyManager.class, WOKEN_ONLY);

        inTransaction(transactions(), () -> after("afterCommit", () -> publish(id)));

        assertThat(rows.state(id)).isPresent();
    }

    private void start(Class<?> application, String[] some, String... more) {
        String[] properties = Arrays.copyOf(some, some.length + more.length);
        System.arraycopy(more, 0, properties, some.length, more.length);
        node = Node.start(database, application, properties);
    }

    private TransactionTemplate transactions() {
        return new TransactionTemplate(node.bean(PlatformTransactionManager.class));
    }

    private void inTransaction(TransactionTemplate transactions, Runnable action) {
        transactions.executeWithoutResult(status -> {
            note();
            action.run();
        });
    }

    private static void after(String callback, Runnable action) {
        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
            @Override
            public void afterCommit() {
                if (callback.equals("afterCommit")) {
                    action.run();
                }
            }

            @Override
            public void afterCompletion(int status) {
                if (callback.equals("afterCompletion")) {
                    action.run();
                }
            }
        });
    }

    private void publish(UUID given) {
        node.publisher().publish(Job.of("quick", null).id(given));
    }

    private void note() {
        node.bean(JdbcClient.class).sql("INSERT INTO note VALUES ('written')").update();
    }

    private void read() {
        node.bean(JdbcClient.class)
                .sql("SELECT count(*) FROM note")
                .query(Long.class)
                .single();
    }

    private long notes() {
        return rows.jdbc().sql("SELECT count(*) FROM note").query(Long.class).single();
    }

    private static final class Throwing implements TransactionSynchronization {

        @Override
        public void afterCommit() {
            throw new IllegalStateException("on purpose");
        }

        @Override
        public int getOrder() {
            return Ordered.HIGHEST_PRECEDENCE;
        }
    }

    static class Plain {

        @JobHandler("quick")
        void quick() {}
    }

    static class WithoutCallbacks extends Plain {

        @Bean
        PlatformTransactionManager transactionManager(DataSource dataSource) {
            JdbcTransactionManager manager = new JdbcTransactionManager(dataSource);
            manager.setTransactionSynchronization(AbstractPlatformTransactionManager.SYNCHRONIZATION_NEVER);
            return manager;
        }
    }

    static class WithEarlyManager extends Plain {

        /** Properties are not bound yet when it is made. */
        @Bean
        static HikariDataSource dataSource(Environment environment) {
            HikariDataSource pool = new HikariDataSource();
            pool.setJdbcUrl(environment.getProperty("spring.datasource.url"));
            pool.setUsername(environment.getProperty("spring.datasource.username"));
            pool.setPassword(environment.getProperty("spring.datasource.password"));
            pool.setAutoCommit(false);
            return pool;
        }

        @Bean
        static PlatformTransactionManager transactionManager(DataSource dataSource) {
            return new JdbcTransactionManager(dataSource);
        }

        @Bean
        static EarlyBird earlyBird(BeanFactory beans) {
            return new EarlyBird(beans.getBean(PlatformTransactionManager.class));
        }
    }

    /** Comes before all other post-processors. */
    record EarlyBird(PlatformTransactionManager manager) implements BeanPostProcessor, PriorityOrdered {

        @Override
        public int getOrder() {
            return Ordered.HIGHEST_PRECEDENCE;
        }
    }
}
