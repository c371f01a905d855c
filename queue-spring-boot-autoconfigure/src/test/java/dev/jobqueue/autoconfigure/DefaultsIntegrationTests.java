package dev.jobqueue.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobqueue.InvalidJobException;
import dev.jobqueue.RetryPolicy;
import dev.jobqueue.internal.db.Schema;
import dev.jobqueue.internal.migrate.SchemaMigrator;
import dev.jobqueue.postgres.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Defaults and ranges that properties have, and SQL functions or the API as well. */
class DefaultsIntegrationTests {

    private static final TestDatabase database = TestDatabase.create();

    private final QueueProperties properties =
            new Binder(new MapConfigurationPropertySource(Map.of())).bindOrCreate("queue", QueueProperties.class);

    @BeforeAll
    static void migrate() {
        new SchemaMigrator(database.dataSource(), new Schema("queue")).migrate();
    }

    @Test
    void areTheSameInPropertiesAndFunctions() {
        String ttl = "ttl interval DEFAULT '00:00:%02d'::interval"
                .formatted(properties.worker().ttl().toSeconds());
        assertThat(arguments("ttl interval DEFAULT '"))
                .hasSizeGreaterThan(4)
                .allSatisfy(arguments -> assertThat(arguments).contains(ttl));
        assertThat(arguments("max integer DEFAULT 10"))
                .anySatisfy(arguments -> assertThat(arguments)
                        .contains(ttl)
                        .contains("max integer DEFAULT " + properties.metrics().countLimit()));
    }

    @Test
    void allowAsManyLimitsAsTheFunctions() {
        useLimits(LimitSettings.MOST);
        assertThatThrownBy(() -> useLimits(LimitSettings.MOST + 1)).hasMessageContaining("limits");
    }

    private static void useLimits(int count) {
        JdbcClient jdbc = JdbcClient.create(database.dataSource());
        jdbc.sql("SELECT queue.set_limit('l' || i, running => 1) FROM generate_series(1, :count) AS i")
                .param("count", count)
                .query()
                .listOfRows();
        jdbc.sql("SELECT queue.use_limits('mail', NULL, array_agg('l' || i)) FROM generate_series(1, :count) AS i")
                .param("count", count)
                .query()
                .listOfRows();
    }

    @Test
    void allowTheRetriesThatThePolicyAllows() {
        for (int i = -1; i <= 1_000; i++) {
            int value = i;
            boolean isFactor = isAccepted(() -> policy(1, value, 0));
            assertThat(isAccepted(() -> settings(1, value, 0))).isEqualTo(isFactor);
            boolean isJitter = isAccepted(() -> policy(1, 2, value / 100.0));
            assertThat(isAccepted(() -> settings(1, 2, value / 100.0))).isEqualTo(isJitter);
            boolean isAttempts = isAccepted(() -> policy(value, 2, 0));
            assertThat(isAccepted(() -> settings(value, 2, 0))).isEqualTo(isAttempts);
        }
    }

    private static void policy(int maxAttempts, double factor, double jitter) {
        new RetryPolicy(maxAttempts, Duration.ofSeconds(1), factor, Duration.ofHours(1), jitter);
    }

    private static void settings(int maxAttempts, double factor, double jitter) {
        new RetrySettings("mail", null, new QueueProperties.Retry(maxAttempts, null, factor, null, jitter, null))
                .policy();
    }

    private static boolean isAccepted(Runnable check) {
        try {
            check.run();
            return true;
        } catch (InvalidJobException | InvalidQueueConfigurationException ex) {
            return false;
        }
    }

    private static List<String> arguments(String part) {
        return JdbcClient.create(database.dataSource())
                .sql("SELECT pg_get_function_arguments(oid) FROM pg_proc"
                        + " WHERE pronamespace = 'queue'::regnamespace"
                        + " AND strpos(pg_get_function_arguments(oid), :part) > 0")
                .param("part", part)
                .query(String.class)
                .list();
    }
}
