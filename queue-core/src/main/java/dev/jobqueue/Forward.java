package dev.jobqueue;

import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Messages for a broker, as jobs: stored in the caller's transaction, and sent after its commit by a node that has the
 * broker on its class path. Publishing needs no broker.
 *
 * <pre>{@code
 * jobs.publish(Forward.kafka("orders").key(order.id()).ordered().body(event));
 * jobs.publish(Forward.rabbit("shop").routingKey("order.placed").body(event));
 * }</pre>
 *
 * <p>A message is sent at least once; its id is that of the job, also when it is sent again. What {@code body} and its
 * like return is a {@link Job}, which may be given a delay, a priority or an id of its own. Immutable; each method
 * returns a changed copy.
 */
public final class Forward {

    /** Type and queue of jobs for Kafka, and the limit that keeps them in order. */
    public static final String KAFKA = "forward.kafka";

    /** Type and queue of jobs for RabbitMQ, and the limit that keeps them in order. */
    public static final String RABBIT = "forward.rabbit";

    private static final int LONGEST_LANE = 500;

    private Forward() {}

    /**
     * Begin a message for a topic of Kafka.
     *
     * @param topic the topic
     * @return the message
     */
    public static Kafka kafka(String topic) {
        return new Kafka(Map.of("topic", required("topic", topic)), false);
    }

    /**
     * Begin a message for an exchange of RabbitMQ.
     *
     * @param exchange the exchange; the empty text is the default one, whose routing keys are names of queues
     * @return the message
     */
    public static Rabbit rabbit(String exchange) {
        return new Rabbit(Map.of("exchange", Objects.requireNonNull(exchange, "exchange")), null);
    }

    private static String required(String what, String value) {
        if (Objects.requireNonNull(value, what).isBlank()) {
            throw new InvalidJobException("%s is '%s': must not be blank".formatted(what, value));
        }
        return value;
    }

    private static Map<String, Object> with(Map<String, Object> fields, String name, Object value) {
        Map<String, Object> changed = new LinkedHashMap<>(fields);
        changed.put(name, value);
        return changed;
    }

    private static Map<String, Object> withHeader(Map<String, Object> fields, String name, String value) {
        Map<String, Object> headers = new LinkedHashMap<>();
        if (fields.get("headers") instanceof Map<?, ?> known) {
            known.forEach((each, text) -> headers.put(each.toString(), text));
        }
        headers.put(required("header", name), Objects.requireNonNull(value, name));
        return with(fields, "headers", headers);
    }

    private static Job job(String type, Map<String, Object> fields, @Nullable String lane) {
        if (lane == null) {
            return Job.of(type, fields).queue(type);
        }
        return Job.of(type, fields).queue(type).limit(type, shortened(lane));
    }

    /** Two long keys may share a lane: that keeps more in order than was asked for. */
    private static String shortened(String lane) {
        return lane.codePointCount(0, lane.length()) <= LONGEST_LANE
                ? lane
                : lane.substring(0, lane.offsetByCodePoints(0, LONGEST_LANE));
    }

    /**
     * What messages of all brokers have.
     *
     * @param <M> the message itself
     */
    public abstract static sealed class Message<M extends Message<M>> permits Kafka, Rabbit {

        final Map<String, Object> fields;

        Message(Map<String, Object> fields) {
            this.fields = fields;
        }

        abstract M copy(Map<String, Object> changed);

        abstract Job job(Map<String, Object> complete);

        /**
         * Add a header.
         *
         * @param name its name
         * @param value its value
         * @return a changed copy
         */
        public M header(String name, String value) {
            return copy(withHeader(fields, name, value));
        }

        /**
         * Set the content type, instead of {@code application/json}, {@code text/plain} or {@code
         * application/octet-stream}.
         *
         * @param contentType the content type
         * @return a changed copy
         */
        public M contentType(String contentType) {
            return copy(with(fields, "contentType", required("contentType", contentType)));
        }

        /**
         * Add the headers of CloudEvents: id, source, type and time.
         *
         * @param type the type of the event
         * @return a changed copy
         */
        public M cloudEvent(String type) {
            return copy(with(fields, "cloudEvent", required("cloudEvent", type)));
        }

        /**
         * Complete the message with a body that is sent as JSON.
         *
         * @param body the body
         * @return the job
         */
        public Job body(Object body) {
            return job(with(fields, "body", Objects.requireNonNull(body, "body")));
        }

        /**
         * Complete the message with a text, which is sent in UTF-8.
         *
         * @param text the body
         * @return the job
         */
        public Job text(String text) {
            return job(with(fields, "text", Objects.requireNonNull(text, "text")));
        }

        /**
         * Complete the message with bytes. They are stored as Base64, which takes a third more.
         *
         * @param bytes the body
         * @return the job
         */
        public Job bytes(byte[] bytes) {
            return job(with(fields, "base64", Base64.getEncoder().encodeToString(bytes)));
        }

        /**
         * Complete the message without a body: in Kafka a tombstone, which deletes its key from a compacted topic.
         *
         * @return the job
         */
        public Job empty() {
            return job(fields);
        }
    }

    /** A message for Kafka. */
    public static final class Kafka extends Message<Kafka> {

        private final boolean ordered;

        private Kafka(Map<String, Object> fields, boolean ordered) {
            super(fields);
            this.ordered = ordered;
        }

        @Override
        Kafka copy(Map<String, Object> changed) {
            return new Kafka(changed, ordered);
        }

        @Override
        Job job(Map<String, Object> complete) {
            if (ordered && !complete.containsKey("key")) {
                throw new InvalidJobException("A message for topic '%s' is ordered and has no key: give it the key"
                                .formatted(complete.get("topic"))
                        + " whose messages are to stay in order, because Kafka has an order within a partition only.");
            }
            return Forward.job(KAFKA, complete, ordered ? complete.get("topic") + " " + complete.get("key") : null);
        }

        /**
         * Set the key, which decides on the partition.
         *
         * @param key the key; its text is sent in UTF-8
         * @return a changed copy
         */
        public Kafka key(Object key) {
            return copy(with(fields, "key", Objects.requireNonNull(key, "key").toString()));
        }

        /**
         * Keep the order of publishing among the messages of the same topic and key.
         *
         * @return a changed copy
         */
        public Kafka ordered() {
            return new Kafka(fields, true);
        }
    }

    /** A message for RabbitMQ. */
    public static final class Rabbit extends Message<Rabbit> {

        /** Which messages of the exchange are in order; {@code null} for none, empty for those of the routing key. */
        private final @Nullable String lane;

        private Rabbit(Map<String, Object> fields, @Nullable String lane) {
            super(fields);
            this.lane = lane;
        }

        @Override
        Rabbit copy(Map<String, Object> changed) {
            return new Rabbit(changed, lane);
        }

        @Override
        Job job(Map<String, Object> complete) {
            String inOrder =
                    lane != null && lane.isEmpty() ? String.valueOf(complete.getOrDefault("routingKey", "")) : lane;
            return Forward.job(RABBIT, complete, inOrder == null ? null : complete.get("exchange") + " " + inOrder);
        }

        /**
         * Set the routing key.
         *
         * @param routingKey the routing key; empty if not set
         * @return a changed copy
         */
        public Rabbit routingKey(String routingKey) {
            return copy(with(fields, "routingKey", Objects.requireNonNull(routingKey, "routingKey")));
        }

        /**
         * Keep the order of publishing among the messages of the same exchange and routing key.
         *
         * @return a changed copy
         */
        public Rabbit ordered() {
            return new Rabbit(fields, "");
        }

        /**
         * Keep the order of publishing among the messages of the same exchange and the same key, whatever their routing
         * keys are. The key is not sent.
         *
         * @param key what has an order, such as the number of an order
         * @return a changed copy
         */
        public Rabbit ordered(Object key) {
            return new Rabbit(fields, required("key", key.toString()));
        }
    }
}
