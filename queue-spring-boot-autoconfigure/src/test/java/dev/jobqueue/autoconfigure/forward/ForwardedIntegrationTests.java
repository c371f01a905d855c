package dev.jobqueue.autoconfigure.forward;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.jobqueue.Batch;
import dev.jobqueue.Forward;
import dev.jobqueue.Forwarded;
import dev.jobqueue.HandlerDefinition;
import dev.jobqueue.InvalidJobException;
import dev.jobqueue.Job;
import dev.jobqueue.JobPublisher;
import dev.jobqueue.JobType;
import dev.jobqueue.autoconfigure.InvalidQueueConfigurationException;
import dev.jobqueue.postgres.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.amqp.rabbit.connection.CachingConnectionFactory;
import org.springframework.amqp.rabbit.connection.ConnectionFactory;
import org.springframework.boot.amqp.autoconfigure.RabbitAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.kafka.autoconfigure.KafkaAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.kafka.core.DefaultKafkaProducerFactory;
import org.springframework.kafka.core.ProducerFactory;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;
import tools.jackson.databind.json.JsonMapper;

/** Publishing messages on a node that has no broker. */
@ExtendWith(OutputCaptureExtension.class)
class ForwardedIntegrationTests {

    private static final TestDatabase DATABASE = TestDatabase.create();

    private final JdbcClient jdbc = JdbcClient.create(DATABASE.dataSource());
    private final ApplicationContextRunner application =
            ForwardApplication.on(DATABASE).withPropertyValues("queue.worker.enabled=false");

    @Test
    void makesMessagesOfAnnotatedPayloads() {
        publishing(jobs -> {
            UUID kafka = jobs.publish(new OrderPlaced(42, new Customer("ada")));
            UUID rabbit = jobs.publish(new OrderPaid(43));

            assertThat(find(kafka))
                    .isEqualTo(new Stored(
                            "forward.kafka",
                            "forward.kafka",
                            Map.of(
                                    "topic", "orders",
                                    "key", "ada",
                                    "cloudEvent", "order.placed",
                                    "body", Map.of("orderId", 42, "customer", Map.of("name", "ada"))),
                            "{forward.kafka}",
                            "{\"orders ada\"}"));
            assertThat(find(rabbit))
                    .isEqualTo(new Stored(
                            "forward.rabbit",
                            "forward.rabbit",
                            Map.of("exchange", "shop", "routingKey", "order.paid", "body", Map.of("orderId", 43)),
                            null,
                            null));
        });
    }

    @Test
    void keepsWhatThePublisherSaysOfTheJob() {
        publishing(jobs -> {
            UUID id = UUID.randomUUID();
            jobs.publish(Job.of(new OrderPaid(1))
                    .id(id)
                    .priority(7)
                    .delay(Duration.ofHours(1))
                    .header("tenant", "a"));

            assertThat(jdbc.sql("SELECT state || ' ' || priority || ' ' || (headers ->> 'tenant') FROM queue.live_job"
                                    + " WHERE id = ?")
                            .param(id)
                            .query(String.class)
                            .single())
                    .isEqualTo("SCHEDULED 7 a");
        });
    }

    @Test
    void makesMessagesOfTheMembersOfABatch() {
        publishing(jobs -> {
            UUID batch = jobs.publish(Batch.of("all").add(List.of(new OrderPaid(1), new OrderPaid(2)).stream()));

            assertThat(jdbc.sql("SELECT count(*) FROM queue.job WHERE flow = ? AND type = 'forward.rabbit'")
                            .param(batch)
                            .query(Integer.class)
                            .single())
                    .isEqualTo(2);
        });
    }

    @Test
    void makesMessagesOfApplicationEventsInTheirTransaction() {
        application.withPropertyValues("queue.publisher.events=true").run(context -> {
            TransactionTemplate transactions =
                    new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
            transactions.executeWithoutResult(status -> {
                context.publishEvent(new OrderPaid(101));
                status.setRollbackOnly();
            });
            transactions.executeWithoutResult(status -> context.publishEvent(new OrderPaid(102)));

            assertThat(jdbc.sql("SELECT payload #>> '{body,orderId}' FROM queue.job"
                                    + " WHERE (payload #>> '{body,orderId}')::int > 100")
                            .query(String.class)
                            .list())
                    .containsExactly("102");
        });
    }

    @Test
    void publishesAPayloadAsAJobWhenItsTypeIsNamed() {
        publishing(jobs -> assertThat(
                        find(jobs.publish("order.check", new OrderPaid(1))).type())
                .isEqualTo("order.check"));
    }

    @Test
    void needNoLibraryOfABroker() {
        ForwardApplication.on(DATABASE)
                .withClassLoader(new FilteredClassLoader(
                        "org.springframework.kafka", "org.apache.kafka", "org.springframework.amqp", "com.rabbitmq"))
                .run(context -> {
                    assertThat(context).hasNotFailed().doesNotHaveBean(Forwarder.class);
                    UUID id = context.getBean(JobPublisher.class)
                            .publish(Forward.kafka("orders").text("a"));

                    assertThat(find(id).queue()).isEqualTo("forward.kafka");
                });
    }

    @ParameterizedTest
    @CsvSource({"backoff,0s", "timeout,0s", "timeout,25d", "max-backoff,10ms", "backoff,2d"})
    void refuseImpossibleTimes(String property, String value) {
        ForwardApplication.on(DATABASE)
                .withConfiguration(AutoConfigurations.of(KafkaAutoConfiguration.class, RabbitAutoConfiguration.class))
                .withPropertyValues("queue.forward." + property + "=" + value)
                .run(context -> assertThat(context.getStartupFailure())
                        .hasRootCauseInstanceOf(InvalidQueueConfigurationException.class)
                        .hasStackTraceContaining("queue.forward." + property));
    }

    @Test
    void areNotSentWhereItIsNotClearToWhichBroker(CapturedOutput output) {
        application
                .withBean("one", ProducerFactory.class, () -> new DefaultKafkaProducerFactory<>(Map.of()))
                .withBean("two", ProducerFactory.class, () -> new DefaultKafkaProducerFactory<>(Map.of()))
                .withBean("three", ConnectionFactory.class, CachingConnectionFactory::new)
                .withBean("four", ConnectionFactory.class, CachingConnectionFactory::new)
                .run(context -> {
                    assertThat(context).hasNotFailed().doesNotHaveBean(Forwarder.class);
                    assertThat(output)
                            .contains("No messages are sent to Kafka, because there are several beans of the type"
                                    + " ProducerFactory and none is @Primary: [one, two]")
                            .contains("[three, four]. Make one of them @Primary, or set"
                                    + " queue.forward.rabbit.enabled=false.");
                });
    }

    @Test
    void takeOneSlotAndNoMore() {
        ForwardApplication.on(DATABASE)
                .withBean(
                        HandlerDefinition.class,
                        () -> HandlerDefinition.of("forward.kafka", String.class, (payload, job) -> null)
                                .queue("forward.kafka"))
                .withPropertyValues("queue.queues[forward.kafka].slots=2")
                .run(context -> assertThat(context.getStartupFailure())
                        .hasStackTraceContaining("queue.queues[forward.kafka].slots")
                        .hasStackTraceContaining("must be 1"));
    }

    @Test
    void keepsMessagesFromSqlInOrderToo() {
        publishing(jobs -> {
            UUID id = jdbc.sql("SELECT queue.publish('forward.kafka', '{\"topic\": \"orders\"}',"
                            + " queue => 'forward.kafka', limits => '{\"forward.kafka\": \"x\"}')")
                    .query(UUID.class)
                    .single();

            assertThat(find(id).limits()).isEqualTo("{forward.kafka}");
        });
    }

    @Test
    void refusesAnnotationsThatContradictThemselves() {
        publishing(jobs -> {
            refuses(jobs, new Nowhere(), "must name either a topic of Kafka or an exchange of RabbitMQ");
            refuses(jobs, new Both(), "stands beside @JobType");
            refuses(jobs, new WithoutKey(), "is ordered and has no key");
            refuses(jobs, new OrderPlaced(1, null), "is ordered by 'customer.name', which this payload does not have");
        });
    }

    @Test
    void refusesAnotherQueueThanThatOfTheBroker() {
        publishing(jobs -> {
            refuses(jobs, Forward.rabbit("shop").text("a").queue("mail"), "in the queue 'mail', and must be in");
            refuses(jobs, Job.of(new OrderPlaced(1, new Customer("ada"))).queue("mail"), "must be in 'forward.kafka'");
            refuses(jobs, Job.of("forward.kafka", Map.of("topic", "orders")), "must be in 'forward.kafka'");
        });
    }

    private static void refuses(JobPublisher jobs, Job job, String problem) {
        assertThatExceptionOfType(InvalidJobException.class)
                .isThrownBy(() -> jobs.publish(job))
                .withMessageContaining(problem);
    }

    private static void refuses(JobPublisher jobs, Object payload, String problem) {
        assertThatExceptionOfType(InvalidJobException.class)
                .isThrownBy(() -> jobs.publish(payload))
                .withMessageContaining(problem);
    }

    private void publishing(Consumer<JobPublisher> test) {
        application.run((AssertableApplicationContext context) -> test.accept(context.getBean(JobPublisher.class)));
    }

    private Stored find(UUID id) {
        return jdbc.sql("SELECT type, queue, payload, limits, limit_keys FROM queue.job WHERE id = ?")
                .param(id)
                .query((row, number) -> new Stored(
                        row.getString(1),
                        row.getString(2),
                        JsonMapper.shared().readValue(row.getString(3), Map.class),
                        row.getString(4),
                        row.getString(5)))
                .single();
    }

    private record Stored(
            String type,
            String queue,
            Map<?, ?> payload,
            @Nullable String limits,
            @Nullable String keys) {}

    record Customer(String name) {}

    @Forwarded(kafka = "orders", key = "customer.name", ordered = true, cloudEvent = "order.placed")
    record OrderPlaced(long orderId, @Nullable Customer customer) {}

    @Forwarded(rabbit = "shop", routingKey = "order.paid")
    record OrderPaid(long orderId) {}

    @Forwarded
    record Nowhere() {}

    @JobType("both")
    @Forwarded(kafka = "orders")
    record Both() {}

    @Forwarded(kafka = "orders", ordered = true)
    record WithoutKey() {}
}
