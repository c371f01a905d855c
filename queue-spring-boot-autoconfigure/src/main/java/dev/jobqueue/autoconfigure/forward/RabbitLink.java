package dev.jobqueue.autoconfigure.forward;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.Method;
import com.rabbitmq.client.Return;
import com.rabbitmq.client.ShutdownSignalException;
import dev.jobqueue.autoconfigure.forward.Sender.Verdict;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A channel with confirms, and the messages on it that are not confirmed. */
final class RabbitLink {

    private static final int PERSISTENT = 2;
    private static final int LONGEST_NAME = 255;
    private static final byte[] NOTHING = {};

    /** How long a write may hang after the broker said that it takes none. */
    private static final long STUCK_MILLIS = 1_000;

    private final Connection connection;
    private final Channel channel;
    private final NavigableMap<Long, Unconfirmed> unconfirmed = new ConcurrentSkipListMap<>();
    private volatile @Nullable String blocked;
    private volatile long writing;

    RabbitLink(Connection connection) throws IOException {
        this.connection = connection;
        this.channel = connection.createChannel();
        connection.addBlockedListener(this::blocked, () -> blocked = null);
        channel.addConfirmListener(
                (tag, multiple) -> settle(tag, multiple, null),
                (tag, multiple) -> settle(
                        tag,
                        multiple,
                        new Refusal(Verdict.FAILED, "the broker did not take it (nack): is its queue full?")));
        channel.addReturnListener(this::returned);
        channel.addShutdownListener(this::closed);
        channel.confirmSelect();
    }

    boolean isOpen() {
        return channel.isOpen();
    }

    void publish(Message message, Consumer<@Nullable Throwable> done) throws IOException {
        String reason = blocked;
        if (reason != null) {
            throw new IOException("blocked: " + reason);
        }
        check(message);
        long tag = channel.getNextPublishSeqNo();
        unconfirmed.put(tag, new Unconfirmed(message.id().toString(), done));
        writing = tag;
        try {
            channel.basicPublish(
                    message.target(),
                    message.key() == null ? "" : message.key(),
                    true,
                    properties(message),
                    message.body() == null ? NOTHING : message.body());
        } catch (IOException | RuntimeException ex) {
            if (unconfirmed.remove(tag) != null) {
                throw ex;
            }
        } finally {
            writing = 0;
        }
    }

    /** Refuses what the client rejects halfway through a write, after which its numbers of confirms are wrong. */
    private static void check(Message message) {
        requireShort("exchange", message.target());
        requireShort("routing key", message.key());
        requireShort("content type", message.contentType());
        message.headers().keySet().forEach(name -> requireShort("name of a header", name));
    }

    private static void requireShort(String what, @Nullable String name) {
        if (name != null && name.getBytes(StandardCharsets.UTF_8).length > LONGEST_NAME) {
            throw new Refusal(Verdict.REFUSED, "the %s has more than %d bytes in UTF-8".formatted(what, LONGEST_NAME));
        }
    }

    private static BasicProperties properties(Message message) {
        Map<String, Object> headers = new HashMap<>(message.headers());
        return new BasicProperties.Builder()
                .messageId(message.id().toString())
                .contentType(message.contentType())
                .deliveryMode(PERSISTENT)
                .headers(headers)
                .build();
    }

    private void settle(long tag, boolean multiple, @Nullable Refusal refusal) {
        Map<Long, Unconfirmed> settled = multiple ? unconfirmed.headMap(tag, true) : unconfirmed.subMap(tag, tag + 1);
        for (Unconfirmed each : takeAll(settled)) {
            each.done.accept(each.unroutable != null ? each.unroutable : refusal);
        }
    }

    /** Comes before the confirm of the same message. */
    private void returned(Return back) {
        String id = back.getProperties().getMessageId();
        for (Unconfirmed each : unconfirmed.values()) {
            if (each.id.equals(id)) {
                each.unroutable = new Refusal(
                        Verdict.REFUSED,
                        "no queue takes it (%s): exchange '%s', routing key '%s'"
                                .formatted(back.getReplyText(), back.getExchange(), back.getRoutingKey()));
                return;
            }
        }
    }

    private void closed(ShutdownSignalException cause) {
        Collection<Unconfirmed> left = takeAll(unconfirmed);
        for (Unconfirmed each : left) {
            each.done.accept(cause.isHardError() ? cause : ofChannel(cause, left.size() == 1));
        }
    }

    /** The broker closes a channel when it does not take a message, and does not say which one. */
    private static Throwable ofChannel(ShutdownSignalException cause, boolean isAlone) {
        Method reason = cause.getReason();
        if (!(reason instanceof AMQP.Channel.Close close)) {
            return cause;
        }
        Verdict verdict = switch (close.getReplyCode()) {
            case AMQP.NOT_FOUND -> Verdict.FAILED;
            case AMQP.ACCESS_REFUSED, AMQP.PRECONDITION_FAILED, AMQP.CONTENT_TOO_LARGE -> Verdict.REFUSED;
            default -> Verdict.DOWN;
        };
        return new Refusal(isAlone || verdict == Verdict.DOWN ? verdict : Verdict.UNCERTAIN, close.getReplyText());
    }

    private static Collection<Unconfirmed> takeAll(Map<Long, Unconfirmed> some) {
        List<Unconfirmed> taken = new ArrayList<>();
        for (Long tag : List.copyOf(some.keySet())) {
            Unconfirmed each = some.remove(tag);
            if (each != null) {
                taken.add(each);
            }
        }
        return taken;
    }

    /** Whatever is under way may or may not have arrived: it is sent again, under the same id. */
    private void blocked(String reason) {
        blocked = reason;
        long stuck = writing;
        takeAll(unconfirmed).forEach(each -> each.done.accept(new IOException("blocked: " + reason)));
        if (stuck != 0) {
            Thread watch = new Thread(() -> abortIfStuck(stuck), "queue-forward-blocked");
            watch.setDaemon(true);
            watch.start();
        }
    }

    /** A write to a connection that the broker does not read has no end, and nobody can interrupt it. */
    private void abortIfStuck(long tag) {
        try {
            TimeUnit.MILLISECONDS.sleep(STUCK_MILLIS);
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        }
        if (writing == tag) {
            connection.abort();
        }
    }

    private static final class Unconfirmed {

        private final String id;
        private final Consumer<@Nullable Throwable> done;
        private volatile @Nullable Refusal unroutable;

        Unconfirmed(String id, Consumer<@Nullable Throwable> done) {
            this.id = id;
            this.done = done;
        }
    }

    /** What the broker has against a message. */
    static final class Refusal extends RuntimeException {

        private static final long serialVersionUID = 1L;

        private final Verdict verdict;

        Refusal(Verdict verdict, String message) {
            super(message);
            this.verdict = verdict;
        }

        Verdict verdict() {
            return verdict;
        }
    }
}
