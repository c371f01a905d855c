package dev.jobqueue.autoconfigure.modulith;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.autoconfigure.ObservedApplication;
import dev.jobqueue.postgres.TestDatabase;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.modulith.events.EventExternalizationConfiguration;
import org.springframework.modulith.events.Externalized;
import org.springframework.modulith.events.config.EventExternalizationAutoConfiguration;
import org.springframework.modulith.events.support.EventExternalizerModuleListener;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

class ModulithEventsIntegrationTests {

    private final TestDatabase database = TestDatabase.create();
    private final JdbcClient jdbc = JdbcClient.create(database.dataSource());
    private final ApplicationContextRunner application = ObservedApplication.on(database)
            .withConfiguration(AutoConfigurations.of(
                    EventExternalizationAutoConfiguration.class, QueueModulithAutoConfiguration.class))
            .withBean(
                    EventExternalizationConfiguration.class,
                    () -> EventExternalizationConfiguration.defaults("dev.jobqueue")
                            .headers(OrderPlaced.class, event -> Map.of("customer", event.customer()))
                            .mapping(Serialized.class, event -> new byte[] {1, 2})
                            .build())
            .withPropertyValues("queue.worker.enabled=false");

    @Test
    void makesMessagesOfExternalizedEventsInTheirTransaction() {
        application.withPropertyValues("queue.forward.modulith=kafka").run(context -> {
            TransactionTemplate transactions =
                    new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
            transactions.executeWithoutResult(status -> {
                context.publishEvent(new OrderPlaced(41, "ada"));
                status.setRollbackOnly();
            });
            transactions.executeWithoutResult(status -> {
                context.publishEvent(new OrderPlaced(42, "ada"));
                context.publishEvent(new Internal());
            });

            assertThat(jdbc.sql("SELECT type || ' ' || payload || ' ' || limit_keys::text FROM queue.job")
                            .query(String.class)
                            .list())
                    .containsExactly(
                            "forward.kafka {\"topic\":\"orders\",\"key\":\"42\",\"headers\":{\"customer\":\"ada\"},"
                                    + "\"body\":{\"orderId\":42,\"customer\":\"ada\"}}"
                                    + " {\"orders 42\"}");
        });
    }

    @Test
    void sendsBytesAsTheyAre() {
        application.withPropertyValues("queue.forward.modulith=kafka").run(context -> {
            context.publishEvent(new Serialized());

            assertThat(jdbc.sql("SELECT payload FROM queue.job")
                            .query(String.class)
                            .single())
                    .isEqualTo("{\"topic\":\"orders\",\"base64\":\"AQI=\"}");
        });
    }

    @Test
    void usesTheKeyAsTheRoutingKeyOfRabbit() {
        application.withPropertyValues("queue.forward.modulith=rabbit").run(context -> {
            context.publishEvent(new OrderPlaced(42, "ada"));

            assertThat(jdbc.sql("SELECT (payload ->> 'exchange') || ' ' || (payload ->> 'routingKey') FROM queue.job")
                            .query(String.class)
                            .single())
                    .isEqualTo("orders 42");
        });
    }

    @Test
    void refusesToStartWhereModulithSendsThemToo() {
        application
                .withPropertyValues("queue.forward.modulith=kafka")
                .withBean(
                        EventExternalizerModuleListener.class,
                        () -> new EventExternalizerModuleListener(
                                EventExternalizationConfiguration.disabled(), (payload, target) -> null))
                .run(context ->
                        assertThat(context.getStartupFailure()).hasMessageContaining("but Spring Modulith sends them"));
    }

    @Test
    void leavesEventsAloneUnlessToldTo() {
        application.run(context -> {
            context.publishEvent(new OrderPlaced(42, "ada"));

            assertThat(jdbc.sql("SELECT count(*) FROM queue.job")
                            .query(Integer.class)
                            .single())
                    .isZero();
        });
    }

    @Externalized("orders::#{orderId}")
    record OrderPlaced(long orderId, String customer) {

        // for the expression, which reads properties of beans
        public long getOrderId() {
            return orderId;
        }
    }

    @Externalized("orders")
    record Serialized() {}

    record Internal() {}
}
