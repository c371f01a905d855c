package dev.jobqueue.internal.node;

import dev.jobqueue.internal.Loop;
import dev.jobqueue.internal.Outage;
import dev.jobqueue.internal.db.Schema;
import dev.jobqueue.internal.node.NodeStatus.ListenerState;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hears that jobs were published elsewhere, on a connection of its own. A notification is a hint: whatever is missed,
 * the poll finds. When it has heard nothing for a while it has a probe sent to itself; if that does not come back it is
 * deaf, behind a pooler that swaps connections or after a failover, and connects anew.
 */
final class Listener {

    private static final Logger log = LoggerFactory.getLogger(Listener.class);

    private static final String PROBE = "probe:";
    private static final Duration CLOSE_WAIT = Duration.ofSeconds(2);

    /** How long the server may take to answer on this connection; waiting for notifications is something else. */
    private static final Duration ANSWER_WAIT = Duration.ofSeconds(10);

    /** How often to see what became of a probe. */
    private static final Duration LOOK = Duration.ofSeconds(1);

    /** How long to wait for notifications, and for a probe to come back, and after how much silence to send one. */
    record Timing(Duration patience, Duration probeInterval) {

        static Timing every(Duration probeInterval) {
            // the driver waits for ever if told to wait for 0 ms
            Duration patience = Duration.ofMillis(Math.max(1, probeInterval.toMillis() / 3));
            return new Timing(patience, probeInterval);
        }
    }

    /** Takes in what is heard. */
    interface Ear {

        void heard(String text);

        /** Called after each (re)connect: anything may have been told while nobody listened. */
        void missedSome();
    }

    private final ConnectionFactory connections;
    private final Schema schema;
    private final Function<String, CompletableFuture<?>> sender;
    private final Ear ear;
    private final Timing timing;
    private final Outage outage = new Outage("Listening for new jobs");
    private final Loop loop = Loop.daemon("queue-listener", this::round);
    private volatile ListenerState state = ListenerState.DISCONNECTED;
    private volatile @Nullable Connection connection;

    /**
     * @param sender sends a notification by another connection and thread
     */
    Listener(
            ConnectionFactory connections,
            Schema schema,
            Function<String, CompletableFuture<?>> sender,
            Ear ear,
            Timing timing) {
        this.timing = timing;
        this.connections = connections;
        this.schema = schema;
        this.sender = sender;
        this.ear = ear;
    }

    void start() {
        loop.start();
    }

    Loop loop() {
        return loop;
    }

    ListenerState state() {
        return state;
    }

    Outage outage() {
        return outage;
    }

    void close() throws InterruptedException {
        loop.end();
        Connection current = connection;
        if (current != null) {
            abort(current);
        }
        loop.interrupt();
        // no longer: nothing interrupts a connect that hangs on a dead network
        loop.join(CLOSE_WAIT);
        state = ListenerState.DISCONNECTED;
    }

    private void round() {
        try (Connection opened = connections.connect()) {
            connection = opened;
            listen(opened);
        } catch (SQLException | RuntimeException ex) {
            if (loop.isRunning()) {
                disconnected();
                loop.pause(outage.failed(ex));
            }
        } catch (Error ex) {
            disconnected();
            throw ex;
        }
    }

    private void disconnected() {
        state = state == ListenerState.DEAF ? ListenerState.DEAF : ListenerState.DISCONNECTED;
    }

    private void listen(Connection opened) throws SQLException {
        opened.setAutoCommit(true);
        opened.setNetworkTimeout(Runnable::run, (int) ANSWER_WAIT.toMillis());
        try (Statement statement = opened.createStatement()) {
            statement.execute("LISTEN " + schema.quotedName());
        }
        boolean suspect = state == ListenerState.DEAF;
        if (!suspect) {
            state = ListenerState.CONNECTED;
            outage.over();
        }
        ear.missedSome();
        hear(opened.unwrap(PGConnection.class), suspect);
    }

    /**
     * @param suspect whether it was deaf before: then a probe must come back first
     */
    private void hear(PGConnection postgres, boolean suspect) throws SQLException {
        Probe probe = suspect ? sendProbe() : null;
        long lastHeard = System.nanoTime();
        while (loop.isRunning()) {
            Duration wait = probe == null ? timing.patience() : min(LOOK, timing.patience());
            loop.waits();
            PGNotification[] notifications = postgres.getNotifications((int) wait.toMillis());
            loop.works();
            for (PGNotification notification : notifications) {
                String text = notification.getParameter();
                if (probe != null && text.equals(probe.text())) {
                    probe = null;
                    state = ListenerState.CONNECTED;
                    outage.over();
                } else {
                    ear.heard(text);
                }
            }
            // what a deaf one hears proves nothing: only a probe does
            if (notifications.length > 0 && state == ListenerState.CONNECTED) {
                lastHeard = System.nanoTime();
            }
            if (probe != null && notifications.length == 0) {
                probe = stillExpected(probe) ? probe : null;
            } else if (probe == null
                    && System.nanoTime() - lastHeard >= timing.probeInterval().toNanos()) {
                probe = sendProbe();
                lastHeard = System.nanoTime();
            }
        }
    }

    private Probe sendProbe() {
        String text = PROBE + Integer.toHexString(System.identityHashCode(this)) + ":" + System.nanoTime();
        return new Probe(text, sender.apply(text).thenApply(nothing -> System.nanoTime()));
    }

    /** Not if it could not be sent: that is no fault of this connection. Another one is sent after the next silence. */
    private boolean stillExpected(Probe probe) throws SQLException {
        if (!probe.sentAt().isDone()) {
            return true;
        }
        if (probe.sentAt().isCompletedExceptionally()) {
            return false;
        }
        if (System.nanoTime() - probe.sentAt().join() >= timing.patience().toNanos()) {
            state = ListenerState.DEAF;
            throw new SQLException("a notification to itself did not arrive within " + timing.patience());
        }
        return true;
    }

    private static Duration min(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    /**
     * A notification to itself.
     *
     * @param sentAt when it was sent, in nanoseconds
     */
    private record Probe(String text, CompletableFuture<Long> sentAt) {}

    private static void abort(Connection connection) {
        try {
            connection.abort(Runnable::run);
        } catch (SQLException ex) {
            log.debug("The listener's connection was gone already", ex);
        }
    }
}
