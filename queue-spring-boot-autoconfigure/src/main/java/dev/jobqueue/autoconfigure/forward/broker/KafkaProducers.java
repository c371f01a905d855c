package dev.jobqueue.autoconfigure.forward.broker;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.kafka.core.DefaultKafkaProducerFactory;
import org.springframework.kafka.core.KafkaResourceFactory;
import org.springframework.kafka.core.ProducerFactory;

/** Producers of the queue's own: idempotent, and else like those of the application. */
final class KafkaProducers {

    private static final Logger log = LoggerFactory.getLogger(KafkaProducers.class);

    /** Unacknowledged messages are sent again, so closing need not wait for them. */
    private static final int CLOSE_SECONDS = 1;

    private KafkaProducers() {}

    @SuppressWarnings({"unchecked", "rawtypes"})
    static ProducerFactory<byte[], byte[]> like(ProducerFactory<?, ?> application, Duration timeout) {
        ProducerFactory<byte[], byte[]> given = (ProducerFactory) application;
        ProducerFactory<byte[], byte[]> own;
        try {
            own = given.copyWithConfigurationOverride(overrides(application, timeout));
        } catch (UnsupportedOperationException ex) {
            log.warn(
                    "{} cannot be copied, so messages are sent by its own producers, which are never renewed",
                    application.getClass().getName());
            return given;
        }
        if (own instanceof DefaultKafkaProducerFactory<byte[], byte[]> factory) {
            // serializer objects take precedence over configured classes
            factory.setKeySerializer(new ByteArraySerializer());
            factory.setValueSerializer(new ByteArraySerializer());
            factory.setProducerPerThread(false);
            factory.setPhysicalCloseTimeout(CLOSE_SECONDS);
            if (application instanceof KafkaResourceFactory resource && servers(resource) != null) {
                factory.setBootstrapServersSupplier(() -> String.valueOf(servers(resource)));
            }
        }
        return own;
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

    /** Copies do not have what supplies them, and nobody but a subclass may ask. */
    private static @Nullable String servers(KafkaResourceFactory factory) {
        return (String) Hidden.call(KafkaResourceFactory.class, "getBootstrapServers", factory);
    }
}
