package dev.jobqueue.guide;

import org.jspecify.annotations.Nullable;

/** For whom the current thread works. */
final class Tenant {

    private static final ThreadLocal<@Nullable String> CURRENT = new ThreadLocal<>();

    private Tenant() {}

    static @Nullable String current() {
        return CURRENT.get();
    }

    static void set(@Nullable String tenant) {
        CURRENT.set(tenant);
    }

    static void clear() {
        CURRENT.remove();
    }
}
