package dev.jobqueue.autoconfigure;

import static dev.jobqueue.autoconfigure.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.JobHandler;
import dev.jobqueue.JobState;
import dev.jobqueue.postgres.TestDatabase;
import dev.jobqueue.schedule.JobSchedule;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** What a node without work asks of the database, with all that watches it, a schedule, and settings as they come. */
class IdleCostIntegrationTests {

    private static final int SECONDS = 20;
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private final TestDatabase database = MigratedDatabase.create();
    private final JobRows rows = new JobRows(database);
    private final ApplicationContextRunner node = ObservedApplication.on(database)
            .withBean(MeterRegistry.class, SimpleMeterRegistry::new)
            .withBean(Handlers.class)
            .withBean(Counter.class)
            .withPropertyValues("queue.queues.a.slots=1", "queue.queues.b.slots=2", "queue.queues.c.slots=3");

    @Test
    void isAtMostOneStatementPerSecond() {
        node.run(context -> {
            Node started = new Node(context.getSourceApplicationContext());
            rows.await(JobState.COMPLETED, started.publisher().publish("only", null));
            await().atMost(Duration.ofSeconds(30)).until(started::isListening);
            Counter counter = context.getBean(Counter.class);
            // what the start and the only job bring about comes to its end first
            await().pollDelay(Duration.ofSeconds(2)).until(() -> true);
            int before = counter.statements.size();
            await().atMost(Duration.ofMinutes(1))
                    .pollDelay(Duration.ofSeconds(SECONDS))
                    .until(() -> true);
            List<String> statements = List.copyOf(counter.statements.subList(before, counter.statements.size()));
            assertThat(statements)
                    .as("statements of %d seconds: %s", SECONDS, statements)
                    .hasSizeBetween(1, SECONDS);
        });
    }

    @Test
    void isLessThanThatOfFiguresThatSomebodyLooksAt() {
        node.withPropertyValues("queue.metrics.refresh=100ms").run(context -> {
            Counter counter = context.getBean(Counter.class);
            await().atMost(LIMIT).until(() -> counter.readings() >= 1);
            long began = System.nanoTime();
            int before = counter.readings();
            await().atMost(LIMIT).until(() -> counter.readings() >= before + 4);
            assertThat(Duration.ofNanos(System.nanoTime() - began))
                    .as("three times at least six intervals, however quick the machine is")
                    .isGreaterThan(Duration.ofMillis(3 * 6 * 100));
        });
    }

    /** Remembers what is sent to the database by the connections of the pool. */
    static class Counter implements BeanPostProcessor {

        private static final Set<String> CALLS =
                Set.of("prepareStatement", "createStatement", "prepareCall", "commit", "rollback", "isValid");

        final List<String> statements = new CopyOnWriteArrayList<>();

        /** How often the figures of all queues were read. */
        int readings() {
            return (int) statements.stream()
                    .filter(each -> each.contains("figures("))
                    .count();
        }

        @Override
        public Object postProcessAfterInitialization(Object bean, String beanName) {
            return bean instanceof DataSource dataSource ? new Counted(dataSource) : bean;
        }

        private final class Counted extends DelegatingDataSource {

            Counted(DataSource target) {
                super(target);
            }

            @Override
            public Connection getConnection() throws SQLException {
                Connection target = super.getConnection();
                return (Connection) Proxy.newProxyInstance(
                        getClass().getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                            if (CALLS.contains(method.getName())
                                    || method.getName().endsWith("TransactionIsolation")) {
                                statements.add(arguments == null ? method.getName() : String.valueOf(arguments[0]));
                            }
                            try {
                                return method.invoke(target, arguments);
                            } catch (InvocationTargetException ex) {
                                throw ex.getTargetException();
                            }
                        });
            }
        }
    }

    static class Handlers {

        @JobHandler("only")
        void handle() {}

        @JobHandler("nightly")
        @JobSchedule(cron = "@yearly")
        void run() {}
    }
}
