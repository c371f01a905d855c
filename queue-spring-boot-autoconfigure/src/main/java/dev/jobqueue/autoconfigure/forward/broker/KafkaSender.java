package dev.jobqueue.autoconfigure.forward.broker;

import dev.jobqueue.autoconfigure.forward.broker.Unsent.Verdict;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Headers;
import org.jspecify.annotations.Nullable;
import org.springframework.kafka.core.ProducerFactory;

/**
 * Sends to Kafka. A topic is looked for before its first message is sent, by a thread of its own: Kafka's client waits
 * for a topic that is not there, and messages of other topics must not wait too.
 */
public final class KafkaSender implements Sender {

    /** The header with the id of the message. */
    public static final String MESSAGE_ID = "message-id";

    private static final String CONTENT_TYPE = "content-type";
    private static final int MOST_LOOKS = 32;

    private final ProducerFactory<byte[], byte[]> producers;
    private final boolean areOwn;
    private final Duration timeout;
    private final ThreadPoolExecutor looks;

    /** Ends well for a topic that is there; one that is not there is looked for again after a while. */
    private final ConcurrentMap<String, CompletableFuture<@Nullable Void>> topics = new ConcurrentHashMap<>();

    private volatile boolean there;

    /**
     * Makes producers like those of the application. Does not connect.
     *
     * @param application the producers of the application
     * @param timeout how long an acknowledgement may take
     */
    public KafkaSender(ProducerFactory<?, ?> application, Duration timeout) {
        this.timeout = timeout;
        this.producers = KafkaProducers.like(application, timeout);
        this.areOwn = producers != application;
        this.looks = new ThreadPoolExecutor(
                MOST_LOOKS, MOST_LOOKS, 1, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), look -> {
                    Thread thread = new Thread(look, "queue-forward-topics");
                    thread.setDaemon(true);
                    return thread;
                });
        looks.allowCoreThreadTimeOut(true);
    }

    @Override
    public String broker() {
        return "Kafka";
    }

    /** Kafka's client itself gives up a message after the timeout. */
    @Override
    public Duration patience() {
        return timeout.multipliedBy(2);
    }

    @Override
    @SuppressWarnings("FutureReturnValueIgnored") // done is told
    public void send(Message message, Consumer<@Nullable Unsent> done) {
        Producer<byte[], byte[]> producer;
        try {
            // the same one each time, unless it has failed
            producer = producers.createNonTransactionalProducer();
        } catch (RuntimeException ex) {
            done.accept(Unsent.unreachable(ex));
            return;
        }
        CompletableFuture<@Nullable Void> before =
                topics.computeIfAbsent(message.target(), topic -> look(topic, producer));
        CompletableFuture<@Nullable Void> sent = before.whenComplete((found, error) -> {
            if (error == null) {
                send(message, producer, done);
            } else {
                done.accept(KafkaErrors.ofLook(cause(error), producers));
            }
        });
        if (!sent.isDone()) {
            // the next one comes after this one
            topics.replace(message.target(), before, sent);
        }
    }

    private CompletableFuture<@Nullable Void> look(String topic, Producer<byte[], byte[]> producer) {
        CompletableFuture<@Nullable Void> look = CompletableFuture.runAsync(() -> look(producer, topic), looks);
        return look.whenComplete((found, error) -> {
            if (error != null) {
                forget(topic, KafkaErrors.isUnknownTopic(cause(error)) ? timeout : Duration.ZERO);
            }
        });
    }

    private static Throwable cause(Throwable error) {
        Throwable cause = error instanceof CompletionException ? error.getCause() : null;
        return cause == null ? error : cause;
    }

    private void look(Producer<byte[], byte[]> producer, String topic) {
        try {
            producer.partitionsFor(topic);
            there = true;
        } catch (RuntimeException ex) {
            there |= KafkaErrors.isAnswer(ex);
            throw ex;
        }
    }

    /** Looks for it anew after a while. On another thread: the map may be about to get what is to be removed. */
    private void forget(String topic, Duration after) {
        CompletableFuture.delayedExecutor(after.toMillis(), TimeUnit.MILLISECONDS)
                .execute(() -> topics.remove(topic));
    }

    @SuppressWarnings("FutureReturnValueIgnored") // the callback is told the same
    private void send(Message message, Producer<byte[], byte[]> producer, Consumer<@Nullable Unsent> done) {
        try {
            producer.send(
                    record(message),
                    (metadata, error) -> done.accept(error == null ? null : unsent(message.target(), error)));
        } catch (RuntimeException ex) {
            done.accept(unsent(message.target(), ex));
        }
    }

    /** A topic that was there may be deleted by now. */
    private Unsent unsent(String topic, Exception error) {
        if (KafkaErrors.isUnknownTopic(error)) {
            topics.put(topic, CompletableFuture.failedFuture(error));
            forget(topic, timeout);
        }
        Unsent unsent = KafkaErrors.ofMessage(error);
        if (unsent.verdict() == Verdict.STUCK) {
            topics.remove(topic);
        }
        return unsent;
    }

    private static ProducerRecord<byte[], byte[]> record(Message message) {
        ProducerRecord<byte[], byte[]> record = new ProducerRecord<>(
                message.target(), message.key() == null ? null : bytes(message.key()), message.body());
        Headers headers = record.headers();
        Map<String, String> all = new HashMap<>(message.headers());
        all.put(MESSAGE_ID, message.id().toString());
        if (message.contentType() != null) {
            all.put(CONTENT_TYPE, message.contentType());
        }
        all.forEach((name, value) -> headers.add(name, bytes(value)));
        return record;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public boolean isThere() {
        return there;
    }

    @Override
    public void reset() {
        there = false;
        topics.clear();
        endProducers();
    }

    /** Those of the application are in use by others. */
    private void endProducers() {
        if (areOwn) {
            producers.reset();
        }
    }

    @Override
    public void close() {
        looks.shutdownNow();
        endProducers();
    }
}
