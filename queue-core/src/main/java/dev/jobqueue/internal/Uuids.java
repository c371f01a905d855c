package dev.jobqueue.internal;

import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;

/** Version 7 UUIDs: ordered by the time they were made, and within this JVM strictly increasing. */
public final class Uuids {

    private static final int COUNTER_BITS = 12;
    private static final long COUNTER_MASK = (1L << COUNTER_BITS) - 1;

    /** Milliseconds and a counter; when the counter runs over within one millisecond, it borrows from the next. */
    private static final AtomicLong last = new AtomicLong();

    private Uuids() {}

    public static UUID next() {
        long now = System.currentTimeMillis() << COUNTER_BITS;
        long stamp = last.updateAndGet(previous -> Math.max(previous + 1, now));
        long high = (stamp >>> COUNTER_BITS << 16) | 0x7000L | (stamp & COUNTER_MASK);
        long low = ThreadLocalRandom.current().nextLong() >>> 2 | 0x8000_0000_0000_0000L;
        return new UUID(high, low);
    }
}
