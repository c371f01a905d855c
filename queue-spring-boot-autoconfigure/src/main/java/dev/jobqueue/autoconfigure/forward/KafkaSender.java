package dev.jobqueue.autoconfigure.forward;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.OutOfOrderSequenceException;
import org.apache.kafka.common.errors.PolicyViolationException;
import org.apache.kafka.common.errors.RecordBatchTooLargeException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;
import org.springframework.kafka.core.DefaultKafkaProducerFactory;
import org.springframework.kafka.core.ProducerFactory;

/** Sends to Kafka, with an idempotent producer of its own that has what else the application's producers have. */
final class KafkaSender implements Sender {

    /** The header with the id of the message. */
    static final String MESSAGE_ID = "message-id";

    private static final String CONTENT_TYPE = "content-type";

    /** Unacknowledged messages are sent again, so closing need not wait for them. */
    private static final int CLOSE_SECONDS = 1;

    private final ProducerFactory<byte[], byte[]> producers;
    private final Set<String> knownTopics = new TreeSet<>();
    private final Map<String, Missing> missingTopics = new HashMap<>();
    private final long patience;

    /**
     * @param application the producers of the application
     * @param timeout how long an acknowledgement may take
     */
    @SuppressWarnings({"unchecked", "rawtypes"})
    KafkaSender(ProducerFactory<?, ?> application, Duration timeout) {
        this.patience = timeout.toNanos();
        this.producers = ((ProducerFactory) application).copyWithConfigurationOverride(overrides(application, timeout));
        if (producers instanceof DefaultKafkaProducerFactory<byte[], byte[]> factory) {
            // serializer objects take precedence over configured classes
            factory.setKeySerializer(new ByteArraySerializer());
            factory.setValueSerializer(new ByteArraySerializer());
            factory.setProducerPerThread(false);
            factory.setPhysicalCloseTimeout(CLOSE_SECONDS);
        }
    }

    private static Map<String, Object> overrides(ProducerFactory<?, ?> application, Duration timeout) {
        Map<String, Object> overrides = new HashMap<>();
        overrides.put(ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class);
        overrides.put(ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class);
        overrides.put(ProducerConfig.ACKS_CONFIG, "all");
        overrides.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, true);
        overrides.put(ProducerConfig.RETRIES_CONFIG, Integer.MAX_VALUE);
        overrides.put(ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION, 5);
        // a message of a lane waits for the one before: it must not wait for others too
        overrides.put(ProducerConfig.LINGER_MS_CONFIG, 0);
        int millis = (int) timeout.toMillis();
        overrides.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, millis);
        overrides.put(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, Math.max(1, millis / 2));
        overrides.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, Math.max(1, millis / 4));
        Object name = application.getConfigurationProperties().get(ProducerConfig.CLIENT_ID_CONFIG);
        overrides.put(ProducerConfig.CLIENT_ID_CONFIG, (name == null ? "" : name + "-") + "queue-forward");
        return overrides;
    }

    @Override
    public String broker() {
        return "Kafka";
    }

    @Override
    @SuppressWarnings("FutureReturnValueIgnored") // the callback is told the same
    public void send(Message message, Consumer<@Nullable Throwable> done) {
        // the same one each time, unless it has failed
        Producer<byte[], byte[]> sending = producers.createNonTransactionalProducer();
        if (!knownTopics.contains(message.target())) {
            require(message.target(), sending);
        }
        sending.send(record(message), (metadata, error) -> done.accept(error));
    }

    /** Looks for a topic. Not again at once for one that is not there: all other messages wait for the answer. */
    private void require(String topic, Producer<byte[], byte[]> sending) {
        Missing missing = missingTopics.get(topic);
        if (missing != null && System.nanoTime() - missing.since() < patience) {
            throw missing.error();
        }
        missingTopics.remove(topic);
        try {
            sending.partitionsFor(topic);
        } catch (TimeoutException ex) {
            if (isUnknown(ex)) {
                missingTopics.put(topic, new Missing(ex, System.nanoTime()));
            }
            throw ex;
        }
        knownTopics.add(topic);
    }

    private static ProducerRecord<byte[], byte[]> record(Message message) {
        ProducerRecord<byte[], byte[]> record = new ProducerRecord<>(
                message.target(), message.key() == null ? null : bytes(message.key()), message.body());
        Headers headers = record.headers();
        headers.add(MESSAGE_ID, bytes(message.id().toString()));
        if (message.contentType() != null) {
            headers.add(CONTENT_TYPE, bytes(message.contentType()));
        }
        message.headers().forEach((name, value) -> headers.add(name, bytes(value)));
        return record;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public Verdict judge(Throwable error) {
        if (isUnknown(error)) {
            return Verdict.FAILED;
        }
        if (isAway(error)) {
            return Verdict.DOWN;
        }
        return isRefusal(error) ? Verdict.REFUSED : Verdict.FAILED;
    }

    /** Kafka answered: it has no such topic, and makes none. */
    private static boolean isUnknown(Throwable error) {
        return error.getCause() instanceof UnknownTopicOrPartitionException;
    }

    /** Unknown topics and partitions too: a topic that was there a moment ago may have lost its leader. */
    private static boolean isAway(Throwable error) {
        return error instanceof RetriableException
                || error instanceof AuthenticationException
                || error instanceof InterruptException
                || error instanceof OutOfOrderSequenceException
                // the producer was closed, because it had failed
                || error instanceof IllegalStateException
                // no address of the broker can be resolved
                || error.getCause() instanceof ConfigException;
    }

    private static boolean isRefusal(Throwable error) {
        return error instanceof RecordTooLargeException
                || error instanceof RecordBatchTooLargeException
                || error instanceof InvalidTopicException
                || error instanceof PolicyViolationException
                || error instanceof AuthorizationException;
    }

    @Override
    public void reset() {
        knownTopics.clear();
        missingTopics.clear();
        producers.reset();
    }

    @Override
    public void close() {
        reset();
    }

    private record Missing(TimeoutException error, long since) {}
}
