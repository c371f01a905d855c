package dev.jobqueue.test.shop;

import dev.jobqueue.postgres.TestDatabase;
import org.springframework.test.context.DynamicPropertyRegistry;

/** One database for all test classes of this JVM: they must not disturb each other. */
public final class KitDatabase {

    static final TestDatabase SHARED = TestDatabase.create();

    private KitDatabase() {}

    public static void addTo(DynamicPropertyRegistry registry) {
        SHARED.addTo(registry::add);
    }
}
