package dev.jobqueue.autoconfigure.forward;

import dev.jobqueue.broker.KafkaServer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.StringDeserializer;

/** A Kafka, its topics, and what arrived there. */
final class KafkaBroker implements AutoCloseable {

    private final KafkaServer server = KafkaServer.start(Map.of(), "-Xmx256m", "-XX:TieredStopAtLevel=1");

    String address() {
        return server.address();
    }

    /** Makes a topic of one partition. */
    KafkaBroker topic(String name, Map<String, String> settings) {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", address()))) {
            admin.createTopics(List.of(new NewTopic(name, 1, (short) 1).configs(settings)))
                    .all()
                    .get();
        } catch (InterruptedException | ExecutionException ex) {
            throw new IllegalStateException(ex);
        }
        return this;
    }

    KafkaBroker topic(String name) {
        return topic(name, Map.of());
    }

    void delete(String topic) {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", address()))) {
            admin.deleteTopics(List.of(topic)).all().get();
        } catch (InterruptedException | ExecutionException ex) {
            throw new IllegalStateException(ex);
        }
    }

    void kill() {
        server.kill();
    }

    void start() {
        server.restart();
    }

    /** Returns all that a topic has, in its order. */
    List<ConsumerRecord<String, String>> records(String topic) {
        Properties settings = new Properties();
        settings.put("bootstrap.servers", address());
        List<ConsumerRecord<String, String>> records = new ArrayList<>();
        try (KafkaConsumer<String, String> consumer =
                new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer())) {
            TopicPartition partition = new TopicPartition(topic, 0);
            consumer.assign(List.of(partition));
            consumer.seekToBeginning(List.of(partition));
            long end = consumer.endOffsets(List.of(partition)).get(partition);
            while (consumer.position(partition) < end) {
                consumer.poll(Duration.ofMillis(200)).forEach(records::add);
            }
        }
        return records;
    }

    List<String> values(String topic) {
        return records(topic).stream().map(ConsumerRecord::value).toList();
    }

    static String header(ConsumerRecord<?, ?> record, String name) {
        Header header = record.headers().lastHeader(name);
        return header == null ? null : new String(header.value(), StandardCharsets.UTF_8);
    }

    @Override
    public void close() {
        server.close();
    }
}
