package dev.jobqueue.autoconfigure.forward;

import java.time.Instant;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** How forwarding to one broker goes on this node. */
public final class ForwardStatus {

    private static final Logger log = LoggerFactory.getLogger(ForwardStatus.class);

    private final String broker;
    private final String queue;
    private final AtomicLong sent = new AtomicLong();
    private final AtomicLong refused = new AtomicLong();
    private final AtomicInteger held = new AtomicInteger();
    private volatile @Nullable Outage outage;

    ForwardStatus(String broker, String queue) {
        this.broker = broker;
        this.queue = queue;
    }

    /** {@return the name of the broker} */
    public String broker() {
        return broker;
    }

    /** {@return the queue of its messages} */
    public String queue() {
        return queue;
    }

    /** {@return how many messages this node sent} */
    public long sent() {
        return sent.get();
    }

    /** {@return how many messages the broker did not take} */
    public long refused() {
        return refused.get();
    }

    /** {@return how many messages this node has in hand until the broker is back} */
    public int held() {
        return outage == null ? 0 : held.get();
    }

    /** {@return since when and why this node does not send; {@code null} if it does} */
    public @Nullable Outage outage() {
        return outage;
    }

    void wasSent() {
        sent.incrementAndGet();
        Outage ended = outage;
        if (ended != null) {
            outage = null;
            log.info("{} is back, and messages are sent again. They had to wait since {}.", broker, ended.since());
        }
    }

    void wasRefused() {
        refused.incrementAndGet();
    }

    void isDown(String reason, int inHand) {
        Outage known = outage;
        held.set(inHand);
        outage = new Outage(known == null ? Instant.now() : known.since(), reason);
        if (known == null) {
            log.warn(
                    "{} does not take messages: {}. Those in the queue '{}' wait until it does, and no attempt counts.",
                    broker,
                    reason,
                    queue);
        }
    }

    /**
     * A time in which the broker is down.
     *
     * @param since when it began
     * @param reason what the last attempt said
     */
    public record Outage(Instant since, String reason) {}
}
