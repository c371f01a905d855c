package dev.jobqueue.autoconfigure.forward.broker;

import dev.jobqueue.autoconfigure.forward.broker.Unsent.Verdict;
import java.util.List;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.ClusterAuthorizationException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.OutOfOrderSequenceException;
import org.apache.kafka.common.errors.PolicyViolationException;
import org.apache.kafka.common.errors.RecordBatchTooLargeException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.errors.UnsupportedVersionException;
import org.springframework.kafka.core.ProducerFactory;

/** What the exceptions of Kafka's client say about a message. */
final class KafkaErrors {

    /** The login, the producer or the version: no message is sent by this producer any more. */
    private static final List<Class<? extends Exception>> OF_THE_PRODUCER = List.of(
            AuthenticationException.class,
            ClusterAuthorizationException.class,
            UnsupportedVersionException.class,
            OutOfOrderSequenceException.class,
            InterruptException.class,
            IllegalStateException.class);

    private static final List<Class<? extends Exception>> OF_THE_MESSAGE = List.of(
            RecordTooLargeException.class,
            RecordBatchTooLargeException.class,
            InvalidRecordException.class,
            InvalidTopicException.class,
            PolicyViolationException.class,
            AuthorizationException.class);

    /** What the neighbours of an invalid record are told; nothing but the text tells it from other failures. */
    private static final String NEIGHBOUR = "part of a batch";

    private KafkaErrors() {}

    /** Kafka answered: it has no such topic, and makes none. */
    static boolean isUnknownTopic(Throwable error) {
        return error instanceof TimeoutException && error.getCause() instanceof UnknownTopicOrPartitionException;
    }

    /** Whether a look for a topic that failed reached a broker. */
    static boolean isAnswer(Throwable error) {
        return error instanceof TimeoutException
                ? error.getCause() instanceof ApiException
                : isOneOf(OF_THE_MESSAGE, error);
    }

    private static boolean isOneOf(List<Class<? extends Exception>> classes, Throwable error) {
        return classes.stream().anyMatch(each -> each.isInstance(error));
    }

    static Unsent ofLook(Throwable error, ProducerFactory<?, ?> producers) {
        if (error instanceof TimeoutException && !isAnswer(error)) {
            Object servers = producers.getConfigurationProperties().get(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG);
            return new Unsent(Verdict.DOWN, "no answer from " + servers, error);
        }
        return ofMessage(error);
    }

    static Unsent ofMessage(Throwable error) {
        if (isUnknownTopic(error)) {
            return new Unsent(Verdict.FAILED, error);
        }
        if (error instanceof TimeoutException && error.getCause() instanceof ApiException cause) {
            return ofMessage(cause);
        }
        // a topic may have lost its leader, or Kafka is gone: that is known when it is looked for again
        if (error instanceof RetriableException) {
            return new Unsent(Verdict.STUCK, error);
        }
        if (isOneOf(OF_THE_PRODUCER, error)) {
            return Unsent.unreachable(error);
        }
        if (error.getClass() == KafkaException.class) {
            return String.valueOf(error.getMessage()).contains(NEIGHBOUR)
                    ? new Unsent(Verdict.UNCERTAIN, error)
                    : Unsent.unreachable(error);
        }
        return new Unsent(isOneOf(OF_THE_MESSAGE, error) ? Verdict.REFUSED : Verdict.FAILED, error);
    }
}
