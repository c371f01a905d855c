package dev.jobqueue.autoconfigure.forward;

import static dev.jobqueue.autoconfigure.forward.KafkaBroker.header;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.Forward;
import dev.jobqueue.Job;
import dev.jobqueue.JobPublisher;
import dev.jobqueue.autoconfigure.ClusterNode;
import dev.jobqueue.autoconfigure.Patience;
import dev.jobqueue.operate.JobOperations;
import dev.jobqueue.postgres.TestDatabase;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.kafka.autoconfigure.DefaultKafkaProducerFactoryCustomizer;
import org.springframework.boot.kafka.autoconfigure.KafkaAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** From the transaction of the publisher to a real Kafka. */
@Timeout(300)
class ForwardToKafkaIntegrationTests {

    private static final TestDatabase DATABASE = TestDatabase.create();
    private static KafkaBroker kafka;

    private final JdbcClient jdbc = JdbcClient.create(DATABASE.dataSource());

    @BeforeAll
    static void startKafka() {
        kafka = new KafkaBroker();
    }

    @AfterAll
    static void stopKafka() {
        kafka.close();
    }

    private ApplicationContextRunner application() {
        return ForwardApplication.on(DATABASE)
                .withBean(MeterRegistry.class, SimpleMeterRegistry::new)
                .withConfiguration(AutoConfigurations.of(KafkaAutoConfiguration.class))
                .withPropertyValues(
                        "spring.kafka.bootstrap-servers=" + kafka.address(),
                        "queue.forward.timeout=4s",
                        "queue.forward.backoff=100ms",
                        "queue.forward.max-backoff=500ms");
    }

    private static List<Job> messages(String topic, int keys, int each, boolean ordered) {
        List<Job> jobs = new ArrayList<>();
        for (int i = 0; i < each; i++) {
            for (int key = 0; key < keys; key++) {
                Forward.Kafka message = Forward.kafka(topic).key(key);
                jobs.add((ordered ? message.ordered() : message).body(Map.of("number", i)));
            }
        }
        return jobs;
    }

    private void awaitCompleted(List<UUID> ids) {
        UUID[] all = ids.toArray(UUID[]::new);
        Patience.await()
                .untilAsserted(() -> assertThat(jdbc.sql("SELECT count(*) FROM queue.job_history"
                                        + " WHERE id = ANY (?) AND state = 'COMPLETED'")
                                .param(all)
                                .query(Integer.class)
                                .single())
                        .isEqualTo(all.length));
    }

    /** All of them arrived, each with its own id; a repetition has the id of the first. */
    private static void arrived(String topic, List<UUID> ids, boolean ordered) {
        List<ConsumerRecord<String, String>> records = kafka.records(topic);
        Set<String> seen = new HashSet<>();
        Map<String, List<String>> firsts = new HashMap<>();
        for (ConsumerRecord<String, String> record : records) {
            if (seen.add(header(record, "message-id"))) {
                firsts.computeIfAbsent(record.key(), none -> new ArrayList<>()).add(record.value());
            }
        }
        assertThat(seen).isEqualTo(ids.stream().map(UUID::toString).collect(Collectors.toSet()));
        if (ordered) {
            firsts.forEach((key, values) -> {
                for (int i = 0; i < values.size(); i++) {
                    assertThat(values.get(i)).as("key %s", key).isEqualTo("{\"number\":" + i + "}");
                }
            });
        }
    }

    private int attempts(List<UUID> ids) {
        return jdbc.sql("SELECT max(attempt) FROM queue.job_history WHERE id = ANY (?)")
                .param(ids.toArray(UUID[]::new))
                .query(Integer.class)
                .single();
    }

    @Test
    void sendsWhatWasCommittedAndNothingThatWasRolledBack() {
        kafka.topic("transactions");
        application().run(context -> {
            JobPublisher jobs = context.getBean(JobPublisher.class);
            TransactionTemplate transactions =
                    new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
            transactions.executeWithoutResult(status -> {
                jobs.publish(Forward.kafka("transactions").text("no"));
                status.setRollbackOnly();
            });
            UUID id = transactions.execute(
                    status -> jobs.publish(Forward.kafka("transactions").text("yes")));
            awaitCompleted(List.of(id));

            assertThat(kafka.values("transactions")).containsExactly("yes");
            arrived("transactions", List.of(id), false);
        });
    }

    @Test
    void keepsTheOrderOfEachKey() {
        kafka.topic("lanes");
        application().run(context -> {
            List<UUID> ids = context.getBean(JobPublisher.class).publishAll(messages("lanes", 7, 150, true));
            awaitCompleted(ids);

            arrived("lanes", ids, true);
            assertThat(kafka.records("lanes")).hasSize(ids.size());
        });
    }

    @Test
    void losesNothingAndCountsNoAttemptWhenKafkaIsKilledUnderLoad() {
        kafka.topic("killed");
        application().run(context -> {
            JobPublisher jobs = context.getBean(JobPublisher.class);
            List<UUID> ids = new ArrayList<>(jobs.publishAll(messages("killed", 20, 50, true)));
            kafka.kill();
            ids.addAll(jobs.publishAll(messages("killed-too", 20, 20, false)));
            ForwardStatus status = context.getBean(ForwardStatus.class);
            Patience.await().until(() -> status.outage() != null);
            saysSo(context);
            kafka.start();
            kafka.topic("killed-too");
            awaitCompleted(ids);

            arrived("killed", ids.subList(0, 1000), true);
            arrived("killed-too", ids.subList(1000, 1400), false);
            assertThat(attempts(ids)).isEqualTo(1);
            assertThat(status.outage()).isNull();
        });
    }

    /** Health, meters and the reasons of a job in hand know of it. */
    private void saysSo(ApplicationContext context) {
        Health health =
                context.getBean("queueHealthIndicator", HealthIndicator.class).health();
        assertThat(health.getDetails().get("state")).hasToString("WARNING");
        assertThat(health.getDetails().get("problems").toString()).contains("Kafka has taken no messages since");
        assertThat(health.getDetails().get("brokers").toString()).contains("sending=false");
        MeterRegistry meters = context.getBean(MeterRegistry.class);
        assertThat(meters.get("queue.forward.held")
                        .tag("broker", "Kafka")
                        .gauge()
                        .value())
                .isPositive();
        assertThat(meters.get("queue.forward.outage")
                        .tag("broker", "Kafka")
                        .timeGauge()
                        .value())
                .isPositive();
        JobOperations operations = context.getBean(JobOperations.class);
        Patience.await()
                .untilAsserted(() -> assertThat(
                                jdbc.sql("SELECT id FROM queue.live_job WHERE stage IS NOT NULL LIMIT 1")
                                        .query(UUID.class)
                                        .optional()
                                        .map(id -> operations.why(id).get(0).message())
                                        .orElse(""))
                        .contains("It says: waiting for Kafka since"));
    }

    @Test
    void sendsAgainUnderTheSameIdWhenAcknowledgementsAreLost() {
        kafka.topic("acks");
        AtomicInteger left = new AtomicInteger(25);
        Acknowledgements acknowledgements = new Acknowledgements(
                (topic, error) -> left.getAndDecrement() > 0 ? new TimeoutException("lost by the test") : error);
        application()
                .withBean(DefaultKafkaProducerFactoryCustomizer.class, () -> acknowledgements)
                .run(context -> {
                    List<UUID> ids = context.getBean(JobPublisher.class).publishAll(messages("acks", 10, 30, true));
                    awaitCompleted(ids);

                    arrived("acks", ids, true);
                    assertThat(kafka.records("acks")).hasSizeGreaterThan(ids.size());
                    assertThat(attempts(ids)).isEqualTo(1);
                });
    }

    @Test
    void sendsAgainUnderTheSameIdWhatADeadNodeDidNotSettle() throws Exception {
        kafka.topic("died");
        List<UUID> ids = new ArrayList<>();
        application().withPropertyValues("queue.worker.enabled=false").run(context -> {
            JobPublisher jobs = context.getBean(JobPublisher.class);
            ids.addAll(jobs.publishAll(messages("died", 20, 20, true)));
        });
        Process dying = ClusterNode.start(
                DATABASE,
                DyingForwarder.class,
                "--spring.kafka.bootstrap-servers=" + kafka.address(),
                "--queue.worker.heartbeat-interval=200ms",
                "--queue.worker.ttl=4s");
        assertThat(dying.waitFor(120, TimeUnit.SECONDS)).isTrue();
        assertThat(dying.exitValue()).isEqualTo(DyingForwarder.HALTED);
        assertThat(kafka.records("died")).hasSizeGreaterThanOrEqualTo(DyingForwarder.ACKNOWLEDGEMENTS);

        application().run(context -> {
            awaitCompleted(ids);
            arrived("died", ids, true);
            assertThat(kafka.records("died")).hasSizeGreaterThan(ids.size());
        });
    }

    @Test
    void goesOnInTheLaneWhenARefusedMessageIsPurged() {
        kafka.topic("refused", Map.of("max.message.bytes", "1000"));
        application().run(context -> {
            Forward.Kafka lane = Forward.kafka("refused").key("k").ordered();
            List<UUID> ids = context.getBean(JobPublisher.class)
                    .publishAll(List.of(
                            lane.text("1"),
                            lane.text("2"),
                            lane.text("3".repeat(5000)),
                            lane.text("4"),
                            lane.text("5")));
            Patience.await()
                    .until(() -> jdbc.sql("SELECT count(*) FROM queue.dead_letter WHERE id = ?")
                                    .param(ids.get(2))
                                    .query(Integer.class)
                                    .single()
                            == 1);
            awaitCompleted(ids.subList(0, 2));
            assertThat(kafka.values("refused")).containsExactly("1", "2");

            jdbc.sql("SELECT queue.purge(?)").param(ids.get(2)).query().singleRow();
            awaitCompleted(ids.subList(3, 5));
            assertThat(kafka.values("refused")).containsExactly("1", "2", "4", "5");
        });
    }

    @Test
    void keepsTheOrderOfMessagesFromSql() {
        kafka.topic("sql", Map.of("max.message.bytes", "1000"));
        List<UUID> ids = new ArrayList<>();
        application().run(context -> {
            for (String text : List.of("1", "2", "3".repeat(5000), "4", "5")) {
                ids.add(publishBySql(text));
            }
            awaitCompleted(ids.subList(0, 2));
            Patience.await()
                    .until(() -> jdbc.sql("SELECT count(*) FROM queue.dead_letter WHERE id = ?")
                                    .param(ids.get(2))
                                    .query(Integer.class)
                                    .single()
                            == 1);
            jdbc.sql("SELECT queue.purge(?)").param(ids.get(2)).query().singleRow();
            awaitCompleted(ids.subList(3, 5));

            assertThat(kafka.values("sql")).containsExactly("1", "2", "4", "5");
        });
    }

    private UUID publishBySql(String text) {
        return jdbc.sql(
                        "SELECT queue.publish('forward.kafka',"
                                + " jsonb_build_object('topic', 'sql', 'key', 'k', 'text', ?)::text, queue => 'forward.kafka', limits => '{\"forward.kafka\": \"sql k\"}')")
                .param(text)
                .query(UUID.class)
                .single();
    }
}
