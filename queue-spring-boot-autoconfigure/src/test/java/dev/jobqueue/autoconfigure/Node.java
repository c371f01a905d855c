package dev.jobqueue.autoconfigure;

import com.zaxxer.hikari.HikariDataSource;
import dev.jobqueue.JobPublisher;
import dev.jobqueue.internal.application.JobQueue;
import dev.jobqueue.internal.node.NodeStatus;
import dev.jobqueue.internal.operate.OperateCalls;
import dev.jobqueue.postgres.TestDatabase;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.springframework.boot.Banner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcClientAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

/** A running application with a pool, transactions and the queue; several on one database are several nodes. */
final class Node implements AutoCloseable {

    private final ConfigurableApplicationContext context;

    Node(ConfigurableApplicationContext context) {
        this.context = context;
    }

    /** Starts a node with one bean of the given class, and with properties such as {@code "queue.worker.slots=2"}. */
    static Node start(TestDatabase database, Class<?> beans, String... properties) {
        List<String> arguments = new ArrayList<>(List.of(
                "spring.datasource.type=" + HikariDataSource.class.getName(),
                "spring.datasource.url=" + database.jdbcUrl(),
                "spring.datasource.username=" + database.username(),
                "spring.datasource.password=" + database.password()));
        arguments.addAll(List.of(properties));
        return new Node(new SpringApplicationBuilder(AutoConfigurations.class, beans)
                .web(WebApplicationType.NONE)
                .bannerMode(Banner.Mode.OFF)
                .logStartupInfo(false)
                .registerShutdownHook(false)
                .run(arguments.stream().map(each -> "--" + each).toArray(String[]::new)));
    }

    <T> T bean(Class<T> type) {
        return context.getBean(type);
    }

    ConfigurableApplicationContext context() {
        return context;
    }

    JobPublisher publisher() {
        return bean(JobPublisher.class);
    }

    OperateCalls operations() {
        return new OperateCalls(bean(QueueDatabase.class).database().joining());
    }

    UUID workerId() {
        return worker().id();
    }

    boolean isListening() {
        return worker().isListening();
    }

    private NodeStatus.Worker worker() {
        return Objects.requireNonNull(bean(JobQueue.class).status().worker());
    }

    @Override
    public void close() {
        context.close();
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({
        DataSourceAutoConfiguration.class,
        DataSourceTransactionManagerAutoConfiguration.class,
        TransactionAutoConfiguration.class,
        JdbcTemplateAutoConfiguration.class,
        JdbcClientAutoConfiguration.class,
        JacksonAutoConfiguration.class,
        QueueAutoConfiguration.class
    })
    static class AutoConfigurations {}
}
