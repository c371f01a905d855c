package dev.jobqueue.autoconfigure.forward;

import static dev.jobqueue.autoconfigure.forward.KafkaBroker.header;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import dev.jobqueue.JobQueueException;
import dev.jobqueue.PermanentJobException;
import dev.jobqueue.autoconfigure.Patience;
import dev.jobqueue.autoconfigure.QueueProperties;
import dev.jobqueue.autoconfigure.forward.broker.KafkaSender;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.common.errors.NotEnoughReplicasException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.kafka.core.DefaultKafkaProducerFactory;
import org.springframework.kafka.core.ProducerFactory;
import org.springframework.kafka.mock.MockProducerFactory;
import org.springframework.kafka.support.serializer.JacksonJsonSerializer;

/** Bundles of messages against a real Kafka. */
@Timeout(180)
class KafkaSenderTests {

    private static KafkaBroker kafka;

    private final ForwardStatus status = new ForwardStatus("Kafka", "forward.kafka");
    private final List<AutoCloseable> opened = new ArrayList<>();

    @BeforeAll
    static void startKafka() {
        kafka = new KafkaBroker();
    }

    @AfterAll
    static void stopKafka() {
        kafka.close();
    }

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable each : opened) {
            each.close();
        }
    }

    private Forwarder forwarder(ProducerFactory<?, ?> producers, Duration timeout, boolean cloudEvents) {
        QueueProperties.Forward properties = new QueueProperties.Forward(
                new QueueProperties.Broker(true),
                new QueueProperties.Broker(true),
                timeout,
                Duration.ofMillis(100),
                Duration.ofMillis(500),
                cloudEvents,
                null,
                List.of("traceparent"),
                null);
        Forwarder forwarder = new Forwarder(
                new KafkaSender(producers, timeout),
                new MessageReader(MessageReader.Format.KAFKA, properties, "shop"),
                status,
                properties);
        opened.add(forwarder);
        return forwarder;
    }

    /** Of an application that sends JSON, and does not wait for acknowledgements. */
    private static DefaultKafkaProducerFactory<Object, Object> producers(Map<String, Object> others) {
        Map<String, Object> settings = new HashMap<>(others);
        settings.putAll(Map.of("acks", "0", "retries", 0, "linger.ms", 50));
        return new DefaultKafkaProducerFactory<>(
                settings, new JacksonJsonSerializer<>(), new JacksonJsonSerializer<>());
    }

    private Forwarder forwarder(String address, Duration timeout, boolean cloudEvents) {
        return forwarder(producers(Map.of("bootstrap.servers", address)), timeout, cloudEvents);
    }

    private Forwarder forwarder() {
        return forwarder(kafka.address(), Duration.ofSeconds(20), false);
    }

    private static List<String> ends(List<JobInHand> jobs) {
        return jobs.stream().map(JobInHand::end).toList();
    }

    @Test
    void sendsKeyBodyAndHeaders() throws Exception {
        kafka.topic("headers");
        JobInHand job = new JobInHand(
                "{\"topic\": \"headers\", \"key\": \"42\", \"headers\": {\"a\": \"1\", \"message-id\": \"mine\"},"
                        + " \"body\": {\"total\": 1.50, \"big\": 12345678901234567890}}");
        forwarder().handle(List.of(job));

        ConsumerRecord<String, String> record = kafka.records("headers").get(0);
        assertThat(record.key()).isEqualTo("42");
        assertThat(record.value()).isEqualTo("{\"total\":1.50,\"big\":12345678901234567890}");
        assertThat(header(record, "message-id")).isEqualTo(job.id.toString());
        assertThat(header(record, "content-type")).isEqualTo("application/json");
        assertThat(header(record, "a")).isEqualTo("1");
        assertThat(header(record, "traceparent")).isEqualTo("00-1-2-01");
        assertThat(header(record, "tenant")).isNull();
        assertThat(header(record, "ce_id")).isNull();
    }

    @Test
    void addsTheHeadersOfCloudEvents() throws Exception {
        kafka.topic("events");
        JobInHand named = new JobInHand("{\"topic\": \"events\", \"cloudEvent\": \"order.placed\", \"text\": \"x\"}");
        JobInHand other = new JobInHand("{\"topic\": \"events\", \"base64\": \"Af8=\"}");
        forwarder(kafka.address(), Duration.ofSeconds(20), true).handle(List.of(named, other));

        List<ConsumerRecord<String, String>> records = kafka.records("events");
        assertThat(header(records.get(0), "ce_specversion")).isEqualTo("1.0");
        assertThat(header(records.get(0), "ce_id")).isEqualTo(named.id.toString());
        assertThat(header(records.get(0), "ce_source")).isEqualTo("shop");
        assertThat(header(records.get(0), "ce_type")).isEqualTo("order.placed");
        assertThat(header(records.get(0), "ce_time")).isEqualTo("2026-11-01T10:00:00Z");
        assertThat(header(records.get(0), "content-type")).isEqualTo("text/plain;charset=UTF-8");
        assertThat(header(records.get(1), "ce_type")).isEqualTo("events");
        assertThat(header(records.get(1), "content-type")).isEqualTo("application/octet-stream");
    }

    @Test
    void sendsTombstones() throws Exception {
        kafka.topic("tombstones");
        forwarder().handle(List.of(new JobInHand("{\"topic\": \"tombstones\", \"key\": \"42\"}")));

        assertThat(kafka.records("tombstones").get(0).value()).isNull();
    }

    @Test
    void keepsTheOrderWhenKafkaRefusesTheThirdOfFive() throws Exception {
        kafka.topic("small", Map.of("max.message.bytes", "1000"));
        JobInHand[] jobs = JobInHand.series("small", "k", "1", "2", "3".repeat(5000), "4", "5");
        Forwarder forwarder = forwarder();
        forwarder.handle(List.of(jobs));

        assertThat(ends(List.of(jobs))).containsExactly("complete", "complete", "fail", "put back", "put back");
        assertThat(jobs[2].error()).isInstanceOf(PermanentJobException.class).hasMessageStartingWith("Kafka: ");
        jobs[3].comeAgain();
        jobs[4].comeAgain();
        forwarder.handle(List.of(jobs[3], jobs[4]));
        assertThat(kafka.values("small")).containsExactly("1", "2", "4", "5");
    }

    @Test
    void buriesWhatTheClientItselfFindsTooLarge() throws Exception {
        kafka.topic("large");
        JobInHand job = JobInHand.unordered("large", "x".repeat(2_000_000));
        forwarder().handle(List.of(job));

        assertThat(job.error()).isInstanceOf(PermanentJobException.class).hasMessageContaining("2000");
    }

    @Test
    void letsAnAttemptCountForATopicThatThereIsNot() throws Exception {
        kafka.topic("known");
        List<JobInHand> jobs = List.of(
                JobInHand.unordered("unknown", "a"),
                JobInHand.unordered("known", "b"),
                JobInHand.unordered("not a topic", "c"));
        forwarder(kafka.address(), Duration.ofSeconds(4), false).handle(List.copyOf(jobs));

        assertThat(ends(jobs)).containsExactly("fail", "complete", "fail");
        assertThat(jobs.get(0).error())
                .isInstanceOf(JobQueueException.class)
                .isNotInstanceOf(PermanentJobException.class)
                .hasMessageContaining("Topic unknown not present in metadata");
        assertThat(jobs.get(2).error()).isInstanceOf(PermanentJobException.class);
        assertThat(status.outage()).isNull();
    }

    /** Each look for a topic takes a second here, and all other messages wait meanwhile. */
    @Test
    void looksOnceForATopicThatThereIsNot() throws Exception {
        kafka.topic("patient");
        List<JobInHand> jobs = new ArrayList<>();
        IntStream.range(0, 50).forEach(i -> jobs.add(JobInHand.unordered("missing", String.valueOf(i))));
        jobs.add(JobInHand.unordered("patient", "a"));
        Forwarder forwarder = forwarder(kafka.address(), Duration.ofSeconds(4), false);
        assertTimeoutPreemptively(Duration.ofSeconds(20), () -> forwarder.handle(List.copyOf(jobs)));

        assertThat(ends(jobs)).containsOnly("fail", "complete").endsWith("complete");
        kafka.topic("missing");
        JobInHand later = JobInHand.unordered("missing", "later");
        Patience.await().untilAsserted(() -> {
            later.comeAgain();
            forwarder.handle(List.of(later));
            assertThat(later.end()).isEqualTo("complete");
        });
    }

    @Test
    void keepsMessagesWhileKafkaIsDownAndSendsThemInOrderAfterwards() throws Exception {
        try (KafkaBroker own = new KafkaBroker()) {
            own.topic("down");
            Forwarder forwarder = forwarder(own.address(), Duration.ofSeconds(4), false);
            forwarder.handle(List.of(JobInHand.series("down", "k", "0")));
            own.kill();
            JobInHand[] jobs = IntStream.rangeClosed(1, 20)
                    .mapToObj(i -> JobInHand.ordered("down", "k", String.valueOf(i)))
                    .toArray(JobInHand[]::new);
            Thread thread = JobInHand.handling(forwarder, jobs);
            Patience.await().until(() -> status.outage() != null);
            assertThat(status.held()).isEqualTo(20);
            assertThat(jobs[0].stages).first().asString().startsWith("waiting for Kafka since");
            own.start();
            thread.join();

            // the first one tried, and the others were given back if that took long
            assertThat(ends(List.of(jobs))).isSubsetOf("complete", "put back").startsWith("complete");
            JobInHand.handleAll(
                    forwarder,
                    Arrays.stream(jobs)
                            .filter(job -> !job.end().equals("complete"))
                            .toArray(JobInHand[]::new));
            assertThat(own.values("down").stream().distinct().toList())
                    .isEqualTo(IntStream.rangeClosed(0, 20)
                            .mapToObj(String::valueOf)
                            .toList());
            assertThat(status.outage()).isNull();
        }
    }

    @Test
    void waitsForAKafkaThatWasNeverThere() throws Exception {
        Forwarder forwarder = forwarder("localhost:1", Duration.ofSeconds(2), false);
        JobInHand job = JobInHand.unordered("any", "a");
        Thread thread = JobInHand.handling(forwarder, job);
        Patience.await().until(() -> status.outage() != null);
        forwarder.stop();
        thread.join();

        assertThat(job.end()).isEqualTo("put back");
    }

    @Test
    void waitsWhenNoClientCanBeMade() throws Exception {
        Map<String, Object> settings = Map.of(
                "bootstrap.servers",
                kafka.address(),
                "security.protocol",
                "SSL",
                "ssl.keystore.location",
                "no-such-keystore.jks",
                "ssl.keystore.password",
                "secret");
        Forwarder forwarder = forwarder(producers(settings), Duration.ofSeconds(4), false);
        JobInHand job = JobInHand.unordered("any", "a");
        Thread thread = JobInHand.handling(forwarder, job);
        Patience.await().until(() -> status.outage() != null);
        assertThat(status.outage().reason()).contains("no-such-keystore.jks");
        forwarder.stop();
        thread.join();

        assertThat(job.end()).isEqualTo("put back");
    }

    @Test
    void sendsTheNeighboursOfAnInvalidRecord() throws Exception {
        kafka.topic("compacted", Map.of("cleanup.policy", "compact"));
        List<JobInHand> jobs = new ArrayList<>();
        IntStream.range(0, 200)
                .forEach(i -> jobs.add(new JobInHand(
                        i == 150
                                ? "{\"topic\": \"compacted\", \"text\": \"no key\"}"
                                : "{\"topic\": \"compacted\", \"key\": \"%1$d\", \"text\": \"%1$d\"}".formatted(i))));
        forwarder().handle(List.copyOf(jobs));

        assertThat(jobs.get(150).error()).isInstanceOf(PermanentJobException.class);
        assertThat(ends(jobs)).filteredOn("complete"::equals).hasSize(199);
    }

    @Test
    void waitsWithTheMessagesOfATopicThatHasTooFewReplicas() throws Exception {
        kafka.topic("replicas").topic("enough");
        DefaultKafkaProducerFactory<Object, Object> producers = producers(Map.of("bootstrap.servers", kafka.address()));
        new Acknowledgements((topic, error) -> topic.equals("replicas") ? new NotEnoughReplicasException("one") : error)
                .customize(producers);
        JobInHand[] jobs = {
            JobInHand.unordered("replicas", "a"),
            JobInHand.unordered("enough", "b"),
            JobInHand.unordered("replicas", "c")
        };
        Forwarder forwarder = forwarder(producers, Duration.ofSeconds(4), false);
        forwarder.handle(List.of(jobs));
        assertThat(ends(List.of(jobs))).containsExactly("snoozed", "complete", "snoozed");

        // also if there are no others that would tell that Kafka is there
        status.works("replicas");
        JobInHand alone = JobInHand.unordered("replicas", "d");
        forwarder.handle(List.of(alone));
        assertThat(alone.end()).isEqualTo("snoozed");
        assertThat(status.outage()).isNull();
        assertThat(status.stuck()).containsOnlyKeys("replicas");
    }

    @Test
    void letsAttemptsCountForATopicThatWasDeleted() throws Exception {
        kafka.topic("deleted").topic("kept");
        Forwarder forwarder = forwarder(kafka.address(), Duration.ofSeconds(4), false);
        forwarder.handle(List.of(JobInHand.unordered("deleted", "a")));
        kafka.delete("deleted");
        List<JobInHand> jobs = new ArrayList<>(List.of(JobInHand.unordered("kept", "b")));
        IntStream.range(0, 50).forEach(i -> jobs.add(JobInHand.unordered("deleted", String.valueOf(i))));
        assertTimeoutPreemptively(
                Duration.ofSeconds(60),
                () -> JobInHand.handleUntil(forwarder, List.of("complete", "fail"), jobs.toArray(JobInHand[]::new)));

        assertThat(ends(jobs)).startsWith("complete").filteredOn("fail"::equals).hasSize(50);
        assertThat(status.outage()).isNull();
    }

    @Test
    void sendsBesideProducersThatAreTransactional() throws Exception {
        kafka.topic("transactional");
        DefaultKafkaProducerFactory<Object, Object> producers = producers(Map.of("bootstrap.servers", kafka.address()));
        producers.setTransactionIdPrefix("shop-");
        forwarder(producers, Duration.ofSeconds(20), false).handle(List.of(JobInHand.unordered("transactional", "a")));

        assertThat(kafka.values("transactional")).containsExactly("a");
    }

    @Test
    void asksTheSupplierOfTheApplicationWhereKafkaIs() throws Exception {
        kafka.topic("supplied");
        AtomicReference<String> address = new AtomicReference<>("localhost:1");
        DefaultKafkaProducerFactory<Object, Object> producers = producers(Map.of());
        producers.setBootstrapServersSupplier(address::get);
        Forwarder forwarder = forwarder(producers, Duration.ofSeconds(20), false);
        address.set(kafka.address());
        assertTimeoutPreemptively(
                Duration.ofSeconds(60), () -> forwarder.handle(List.of(JobInHand.unordered("supplied", "a"))));

        assertThat(kafka.values("supplied")).containsExactly("a");
    }

    @Test
    void usesFactoriesThatCannotBeCopied() throws Exception {
        MockProducer<byte[], byte[]> producer =
                new MockProducer<>(true, null, new ByteArraySerializer(), new ByteArraySerializer());
        AtomicInteger resets = new AtomicInteger();
        ProducerFactory<byte[], byte[]> factory = new MockProducerFactory<>(() -> producer) {
            @Override
            public void reset() {
                resets.incrementAndGet();
            }
        };
        JobInHand job = JobInHand.unordered("any", "a");
        Forwarder forwarder = forwarder(factory, Duration.ofSeconds(20), false);
        forwarder.handle(List.of(job));
        forwarder.close();

        assertThat(job.end()).isEqualTo("complete");
        assertThat(producer.history()).hasSize(1);
        assertThat(resets).hasValue(0);
    }
}
