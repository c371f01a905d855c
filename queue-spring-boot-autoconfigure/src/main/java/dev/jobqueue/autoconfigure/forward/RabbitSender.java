package dev.jobqueue.autoconfigure.forward;

import com.rabbitmq.client.Address;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Sends to RabbitMQ, by a connection of its own that is made like those of the application: with publisher confirms,
 * and returning what no queue takes.
 */
final class RabbitSender implements Sender {

    private static final int ABORT_MILLIS = 1_000;

    private final ConnectionFactory connections;
    private final List<Address> addresses;
    private @Nullable Connection connection;
    private @Nullable RabbitLink link;

    /**
     * @param application makes connections of the application
     * @param addresses where the nodes of the broker listen
     * @param timeout how long connecting may take
     */
    RabbitSender(ConnectionFactory application, List<Address> addresses, Duration timeout) {
        this.connections = application.clone();
        this.addresses = addresses;
        connections.setAutomaticRecoveryEnabled(false);
        connections.setTopologyRecoveryEnabled(false);
        connections.setConnectionTimeout((int) timeout.toMillis());
        connections.setChannelRpcTimeout((int) timeout.toMillis());
    }

    @Override
    public String broker() {
        return "RabbitMQ";
    }

    @Override
    public void send(Message message, Consumer<@Nullable Throwable> done) throws Exception {
        link().publish(message, done);
    }

    private RabbitLink link() throws IOException, TimeoutException {
        RabbitLink known = link;
        if (known == null || !known.isOpen()) {
            Connection open = connection;
            if (open == null || !open.isOpen()) {
                open = connections.newConnection(addresses, "queue-forward");
                connection = open;
            }
            known = new RabbitLink(open);
            link = known;
        }
        return known;
    }

    @Override
    public Verdict judge(Throwable error) {
        if (error instanceof RabbitLink.Refusal refusal) {
            return refusal.verdict();
        }
        boolean down = error instanceof IOException
                || error instanceof TimeoutException
                // the connection or the channel was closed a moment ago
                || error instanceof com.rabbitmq.client.AlreadyClosedException
                || error instanceof com.rabbitmq.client.ShutdownSignalException;
        return down ? Verdict.DOWN : Verdict.FAILED;
    }

    @Override
    public void reset() {
        Connection open = connection;
        link = null;
        connection = null;
        if (open != null) {
            open.abort(ABORT_MILLIS);
        }
    }

    @Override
    public void close() {
        reset();
    }
}
