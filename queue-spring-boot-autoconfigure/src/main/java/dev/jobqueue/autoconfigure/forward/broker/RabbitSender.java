package dev.jobqueue.autoconfigure.forward.broker;

import com.rabbitmq.client.Address;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import dev.jobqueue.autoconfigure.forward.broker.Unsent.Verdict;
import dev.jobqueue.internal.Spans;
import java.io.IOException;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.Timer;
import java.util.TimerTask;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.amqp.rabbit.connection.AbstractConnectionFactory;

/**
 * Sends to RabbitMQ, by a connection of its own that is made like those of the application: with publisher confirms,
 * and returning what no queue takes.
 */
public final class RabbitSender implements Sender {

    private final AbstractConnectionFactory application;
    private final ConnectionFactory connections;
    private final Duration timeout;
    private final Timer watch = new Timer("queue-forward-watch", true);
    private volatile @Nullable Socket socket;
    private volatile @Nullable RabbitLink link;

    /**
     * Makes connections like those of the application, when there is something to send.
     *
     * @param application makes connections of the application
     * @param timeout how long connecting, a write or a confirm may take
     */
    public RabbitSender(AbstractConnectionFactory application, Duration timeout) {
        this.application = application;
        this.timeout = timeout;
        this.connections = application.getRabbitConnectionFactory().clone();
        connections.setAutomaticRecoveryEnabled(false);
        connections.setTopologyRecoveryEnabled(false);
        connections.setConnectionTimeout((int) timeout.toMillis());
        connections.setChannelRpcTimeout((int) timeout.toMillis());
        connections.setSocketConfigurator(connections.getSocketConfigurator().andThen(made -> socket = made));
        long period = Math.max(1, timeout.toMillis() / 4);
        watch.schedule(
                new TimerTask() {
                    @Override
                    public void run() {
                        endStuckWrite();
                    }
                },
                period,
                period);
    }

    @Override
    public String broker() {
        return "RabbitMQ";
    }

    @Override
    public Duration patience() {
        return timeout;
    }

    @Override
    public void send(Message message, Consumer<@Nullable Unsent> done) {
        RabbitLink open;
        try {
            open = link();
        } catch (TimeoutException ex) {
            done.accept(new Unsent(Verdict.DOWN, "no answer within " + Spans.text(timeout), ex));
            return;
        } catch (IOException | RuntimeException ex) {
            done.accept(Unsent.unreachable(ex));
            return;
        }
        open.publish(message, done);
    }

    private RabbitLink link() throws IOException, TimeoutException {
        RabbitLink known = link;
        if (known == null || !known.isOpen()) {
            reset();
            known = open(connections.newConnection(null, this::addresses, "queue-forward"));
            link = known;
        }
        return known;
    }

    private RabbitLink open(Connection connection) throws IOException {
        try {
            return new RabbitLink(connection);
        } catch (IOException | RuntimeException ex) {
            closeSocket();
            throw ex;
        }
    }

    /** As the application's factory finds them, which may have any number, or look them up. */
    private List<Address> addresses() {
        Object known = Hidden.call(AbstractConnectionFactory.class, "getAddresses", application);
        return known instanceof List<?> list && !list.isEmpty()
                ? list.stream().map(Address.class::cast).toList()
                : List.of(new Address(application.getHost(), application.getPort()));
    }

    private void endStuckWrite() {
        RabbitLink known = link;
        if (known != null && known.isWritingFor(timeout)) {
            closeSocket();
        }
    }

    /** The only thing that ends a write: all other ways to close wait for it. */
    private void closeSocket() {
        Socket known = socket;
        if (known != null) {
            try {
                known.setSoLinger(true, 0);
                known.close();
            } catch (IOException ex) {
                // it is closed
            }
        }
    }

    @Override
    public boolean isThere() {
        RabbitLink known = link;
        return known != null && known.isOpen() && !known.isBlocked();
    }

    @Override
    public void reset() {
        RabbitLink known = link;
        if (known != null) {
            known.abandon();
            link = null;
        }
    }

    @Override
    public void close() {
        reset();
        watch.cancel();
    }
}
