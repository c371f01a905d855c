package dev.jobqueue.autoconfigure.forward;

import static dev.jobqueue.autoconfigure.forward.KafkaBroker.header;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import dev.jobqueue.JobQueueException;
import dev.jobqueue.PermanentJobException;
import dev.jobqueue.autoconfigure.Patience;
import dev.jobqueue.autoconfigure.QueueProperties;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.kafka.core.DefaultKafkaProducerFactory;
import org.springframework.kafka.support.serializer.JacksonJsonSerializer;

/** Batches of messages against a real Kafka. */
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

    private Forwarder forwarder(String address, Duration timeout, boolean cloudEvents) {
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
        // an application that sends JSON, and does not wait for acknowledgements
        DefaultKafkaProducerFactory<Object, Object> producers = new DefaultKafkaProducerFactory<>(
                Map.of("bootstrap.servers", address, "acks", "0", "retries", 0, "linger.ms", 50),
                new JacksonJsonSerializer<>(),
                new JacksonJsonSerializer<>());
        Forwarder forwarder = new Forwarder(
                new KafkaSender(producers, timeout),
                new MessageReader(MessageReader.Format.KAFKA, properties, "shop"),
                status,
                properties);
        opened.add(forwarder);
        return forwarder;
    }

    private Forwarder forwarder() {
        return forwarder(kafka.address(), Duration.ofSeconds(20), false);
    }

    private static List<String> ends(List<JobInHand> jobs) {
        return jobs.stream().map(JobInHand::end).toList();
    }

    private static JobInHand[] lane(String topic, String key, String... texts) {
        return Arrays.stream(texts)
                .map(text -> JobInHand.ordered(topic, key, text))
                .toArray(JobInHand[]::new);
    }

    @Test
    void sendsKeyBodyAndHeaders() {
        kafka.topic("headers");
        JobInHand job = new JobInHand("{\"topic\": \"headers\", \"key\": \"42\", \"headers\": {\"a\": \"1\"},"
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
    void addsTheHeadersOfCloudEvents() {
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
    void sendsTombstones() {
        kafka.topic("tombstones");
        forwarder().handle(List.of(new JobInHand("{\"topic\": \"tombstones\", \"key\": \"42\"}")));

        assertThat(kafka.records("tombstones").get(0).value()).isNull();
    }

    @Test
    void keepsTheOrderWhenKafkaRefusesTheThirdOfFive() {
        kafka.topic("small", Map.of("max.message.bytes", "1000"));
        JobInHand[] jobs = lane("small", "k", "1", "2", "3".repeat(5000), "4", "5");
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
    void buriesWhatTheClientItselfFindsTooLarge() {
        kafka.topic("large");
        JobInHand job = JobInHand.unordered("large", "x".repeat(2_000_000));
        forwarder().handle(List.of(job));

        assertThat(job.error()).isInstanceOf(PermanentJobException.class).hasMessageContaining("2000");
    }

    @Test
    void letsAnAttemptCountForATopicThatThereIsNot() {
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
    void looksOnceForATopicThatThereIsNot() {
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
            forwarder.handle(List.of(lane("down", "k", "0")));
            own.kill();
            JobInHand[] jobs = IntStream.rangeClosed(1, 20)
                    .mapToObj(i -> JobInHand.ordered("down", "k", String.valueOf(i)))
                    .toArray(JobInHand[]::new);
            Thread thread = new Thread(() -> forwarder.handle(List.of(jobs)));
            thread.start();
            Patience.await().until(() -> status.outage() != null);
            assertThat(status.held()).isEqualTo(20);
            assertThat(jobs[19].stages).first().asString().startsWith("waiting for Kafka since");
            own.start();
            thread.join();

            assertThat(ends(List.of(jobs))).containsOnly("complete");
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
        Thread thread = new Thread(() -> forwarder.handle(List.of(job)));
        thread.start();
        Patience.await().until(() -> status.outage() != null);
        forwarder.stop();
        thread.join();

        assertThat(job.end()).isEqualTo("put back");
    }
}
