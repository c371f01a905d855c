package dev.jobqueue.autoconfigure.forward.broker;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.AlreadyClosedException;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.Return;
import com.rabbitmq.client.ShutdownSignalException;
import dev.jobqueue.autoconfigure.forward.broker.Unsent.Verdict;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A connection with one channel and confirms, and the messages on it that are not confirmed. */
final class RabbitLink {

    private static final int PERSISTENT = 2;
    private static final int LONGEST_NAME = 255;
    private static final int ABORT_MILLIS = 1_000;
    private static final byte[] NOTHING = {};

    private final Connection connection;
    private final Channel channel;
    private final NavigableMap<Long, Unconfirmed> unconfirmed = new ConcurrentSkipListMap<>();
    private volatile @Nullable String blocked;
    private volatile @Nullable Long writingSince;

    RabbitLink(Connection connection) throws IOException {
        this.connection = connection;
        this.channel = connection.createChannel();
        connection.addBlockedListener(this::blocked, () -> blocked = null);
        channel.addConfirmListener(
                (tag, multiple) -> settle(tag, multiple, null),
                (tag, multiple) -> settle(
                        tag,
                        multiple,
                        new Unsent(Verdict.FAILED, "the broker did not take it (nack): is its queue full?", null)));
        channel.addReturnListener(this::returned);
        channel.addShutdownListener(this::closed);
        channel.confirmSelect();
    }

    boolean isOpen() {
        return channel.isOpen();
    }

    boolean isBlocked() {
        return blocked != null;
    }

    /** A write to a connection that the broker does not read has no end, and nobody can interrupt it. */
    boolean isWritingFor(Duration time) {
        Long since = writingSince;
        return since != null && System.nanoTime() - since > time.toNanos();
    }

    void publish(Message message, Consumer<@Nullable Unsent> done) {
        BasicProperties properties = properties(message);
        Unsent refusal = refusal(message, properties);
        if (refusal != null) {
            done.accept(refusal);
            return;
        }
        long tag = channel.getNextPublishSeqNo();
        unconfirmed.put(tag, new Unconfirmed(message.id().toString(), done));
        writingSince = System.nanoTime();
        try {
            write(message, properties);
        } catch (AlreadyClosedException ex) {
            end(tag, unsent(ex, false));
        } catch (IOException ex) {
            end(tag, new Unsent(Verdict.DOWN, ex));
        } catch (RuntimeException ex) {
            // the client has counted it and not sent it: all later confirms would be those of neighbours
            end(tag, new Unsent(Verdict.FAILED, ex));
            abandon();
        } finally {
            writingSince = null;
        }
    }

    private void write(Message message, BasicProperties properties) throws IOException {
        String reason = blocked;
        if (reason != null) {
            throw new IOException("blocked: " + reason);
        }
        channel.basicPublish(
                message.target(),
                message.key() == null ? "" : message.key(),
                true,
                properties,
                message.body() == null ? NOTHING : message.body());
    }

    private void end(long tag, Unsent unsent) {
        Unconfirmed ended = unconfirmed.remove(tag);
        if (ended != null) {
            ended.done.accept(unsent);
        }
    }

    /** What the client itself would reject, but only after it has counted the message. */
    private @Nullable Unsent refusal(Message message, BasicProperties properties) {
        try {
            requireShort("exchange", message.target());
            requireShort("routing key", message.key());
            int most = connection.getFrameMax();
            int size = properties.toFrame(channel.getChannelNumber(), 0).size();
            if (most > 0 && size > most) {
                throw new IllegalArgumentException(
                        "the headers take %d bytes, and at most %d are allowed".formatted(size, most));
            }
            return null;
        } catch (IOException | RuntimeException ex) {
            return new Unsent(Verdict.REFUSED, ex);
        }
    }

    private static void requireShort(String what, @Nullable String name) {
        if (name != null && name.getBytes(StandardCharsets.UTF_8).length > LONGEST_NAME) {
            throw new IllegalArgumentException("the %s has more than %d bytes in UTF-8".formatted(what, LONGEST_NAME));
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

    private void settle(long tag, boolean multiple, @Nullable Unsent refusal) {
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
                each.unroutable = new Unsent(
                        Verdict.REFUSED,
                        "no queue takes it (%s): exchange '%s', routing key '%s'"
                                .formatted(back.getReplyText(), back.getExchange(), back.getRoutingKey()),
                        null);
                return;
            }
        }
    }

    /** Of one thread at a time: to take a part would make it look alone. */
    private synchronized void closed(ShutdownSignalException cause) {
        Collection<Unconfirmed> left = takeAll(unconfirmed);
        Unsent unsent = unsent(cause, left.size() == 1);
        left.forEach(each -> each.done.accept(unsent));
    }

    /** The broker closes a channel when it does not take a message, and does not say which one. */
    private static Unsent unsent(ShutdownSignalException cause, boolean isAlone) {
        if (!(cause.getReason() instanceof AMQP.Channel.Close close)) {
            return new Unsent(Verdict.DOWN, cause);
        }
        Verdict verdict = switch (close.getReplyCode()) {
            case AMQP.NOT_FOUND -> Verdict.FAILED;
            case AMQP.ACCESS_REFUSED, AMQP.PRECONDITION_FAILED, AMQP.CONTENT_TOO_LARGE -> Verdict.REFUSED;
            default -> Verdict.DOWN;
        };
        return new Unsent(
                isAlone || verdict == Verdict.DOWN ? verdict : Verdict.UNCERTAIN, close.getReplyText(), cause);
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
        failAll("blocked: " + reason);
    }

    private void failAll(String reason) {
        takeAll(unconfirmed).forEach(each -> each.done.accept(new Unsent(Verdict.DOWN, reason, null)));
    }

    /** Ends the connection, and all that is under way. This writes too. */
    void abandon() {
        ShutdownSignalException cause = channel.getCloseReason();
        if (cause == null) {
            failAll("the connection was given up");
        } else {
            // known before the listener is told: what closed the channel may be one of the messages
            closed(cause);
        }
        writingSince = System.nanoTime();
        connection.abort(ABORT_MILLIS);
        writingSince = null;
    }

    private static final class Unconfirmed {

        private final String id;
        private final Consumer<@Nullable Unsent> done;
        private volatile @Nullable Unsent unroutable;

        Unconfirmed(String id, Consumer<@Nullable Unsent> done) {
            this.id = id;
            this.done = done;
        }
    }
}
