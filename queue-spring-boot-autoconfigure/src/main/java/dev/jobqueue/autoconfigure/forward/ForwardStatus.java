package dev.jobqueue.autoconfigure.forward;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** How forwarding to one broker goes on this node. */
public final class ForwardStatus {

    private static final Logger log = LoggerFactory.getLogger(ForwardStatus.class);

    /** After this another node may have sent what was stuck here. */
    private static final Duration MEMORY = Duration.ofMinutes(10);

    /** Routing keys may be many. */
    private static final int MOST_STUCK = 10_000;

    private final String broker;
    private final String queue;
    private final Duration memory;
    private final AtomicLong sent = new AtomicLong();
    private final AtomicLong refused = new AtomicLong();
    private final AtomicInteger held = new AtomicInteger();
    private final ConcurrentMap<String, Stuck> stuck = new ConcurrentHashMap<>();
    private volatile @Nullable Outage outage;

    ForwardStatus(String broker, String queue) {
        this(broker, queue, MEMORY);
    }

    ForwardStatus(String broker, String queue, Duration memory) {
        this.broker = broker;
        this.queue = queue;
        this.memory = memory;
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

    /** {@return the topics, or exchanges with routing keys, that take nothing although the broker is there} */
    public Map<String, Outage> stuck() {
        Instant end = Instant.now().minus(memory);
        return stuck.entrySet().stream()
                .filter(each -> each.getValue().tried().isAfter(end))
                .collect(Collectors.toMap(
                        Map.Entry::getKey, each -> each.getValue().outage()));
    }

    Set<String> stuckPlaces() {
        return stuck.keySet();
    }

    void isStuck(String place, String reason) {
        if (stuck.size() >= MOST_STUCK) {
            stuck.clear();
        }
        Instant now = Instant.now();
        Stuck known = stuck.get(place);
        stuck.put(
                place, new Stuck(new Outage(known == null ? now : known.outage().since(), reason), now));
        if (known == null) {
            log.warn(
                    "{} takes messages, but none for '{}': {}. They wait, and no attempt counts.",
                    broker,
                    place,
                    reason);
        }
    }

    void works(String place) {
        Stuck ended = stuck.remove(place);
        if (ended != null) {
            log.info("{} takes messages for '{}' again", broker, place);
        }
    }

    void wasSent() {
        sent.incrementAndGet();
        isBack();
    }

    void wasRefused() {
        refused.incrementAndGet();
        isBack();
    }

    void isBack() {
        Outage ended = outage;
        if (ended != null) {
            outage = null;
            log.info("{} is back, and messages are sent again. They had to wait since {}.", broker, ended.since());
        }
    }

    /** Nothing is in hand any more, so this node cannot know whether the broker is back. */
    void letGo() {
        outage = null;
    }

    Outage isDown(String reason, int inHand) {
        Outage known = outage;
        Outage now = new Outage(known == null ? Instant.now() : known.since(), reason);
        held.set(inHand);
        outage = now;
        if (known == null) {
            log.warn(
                    "{} does not take messages: {}. Those in the queue '{}' wait until it does, and no attempt counts.",
                    broker,
                    reason,
                    queue);
        }
        return now;
    }

    /**
     * A time in which the broker is down.
     *
     * @param since when it began
     * @param reason what the last attempt said
     */
    public record Outage(Instant since, String reason) {}

    private record Stuck(Outage outage, Instant tried) {}
}
