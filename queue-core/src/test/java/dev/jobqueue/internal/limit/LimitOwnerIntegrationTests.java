package dev.jobqueue.internal.limit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** Whose values count when applications and operators set the same limit. */
class LimitOwnerIntegrationTests {

    private static final LimitedQueue lanes = new LimitedQueue();

    @BeforeEach
    void reset() {
        lanes.queue.reset();
    }

    /** Returns whose values were replaced. */
    private static String set(int running, @Nullable String owner) {
        return lanes.queue.one(
                String.class,
                "SELECT coalesce(queue.set_limit('crm', running => %d, owner => %s), 'nobody')"
                        .formatted(running, quoted(owner)));
    }

    private static String use(String limits, @Nullable String owner) {
        return lanes.queue.one(
                String.class,
                "SELECT coalesce(queue.use_limits('sync', NULL, '%s', NULL, %s), 'nobody')"
                        .formatted(limits, quoted(owner)));
    }

    private static String quoted(@Nullable String text) {
        return text == null ? "NULL" : "'" + text + "'";
    }

    private static String limit() {
        return lanes.queue.one(
                String.class,
                "SELECT running || ' of ' || coalesce(owner, '-') FROM queue.job_limit" + " WHERE name = 'crm'");
    }

    private static String uses() {
        return lanes.queue.one(
                String.class,
                "SELECT coalesce(string_agg(name || ' of ' || coalesce(owner, '-'), ', ' ORDER BY name), 'none')"
                        + " FROM queue.limit_use");
    }

    @Nested
    class OfALimit {

        @Test
        void isToldOfReplacedValuesOfAnotherApplication() {
            assertThat(set(2, "shop")).isEqualTo("nobody");
            assertThat(set(2, "stock")).isEqualTo("nobody");
            assertThat(limit()).isEqualTo("2 of shop");

            assertThat(set(3, "stock")).isEqualTo("shop");
            assertThat(limit()).isEqualTo("3 of stock");
        }

        @Test
        void doesNotReplaceWhatAnOperatorSet() {
            set(2, "shop");
            set(5, null);
            assertThat(set(2, "shop")).isEqualTo("nobody");
            assertThat(set(3, "stock")).isEqualTo("nobody");

            assertThat(limit()).isEqualTo("5 of -");
        }

        @Test
        void isOwnerAgainWhenAnOperatorGoesBackToItsValues() {
            set(2, "shop");
            set(5, null);
            set(2, null);
            assertThat(limit()).isEqualTo("2 of -");
            set(2, "shop");
            assertThat(limit()).isEqualTo("2 of shop");

            set(3, "shop");
            assertThat(limit()).isEqualTo("3 of shop");
        }

        @Test
        void staysOwnerWhenAnOperatorSetsTheSame() {
            set(2, "shop");
            set(2, null);

            assertThat(limit()).isEqualTo("2 of shop");
        }
    }

    @Nested
    class OfTheLimitsOfAType {

        @BeforeEach
        void limits() {
            lanes.limit("'a', running => 1");
            lanes.limit("'b', running => 1");
        }

        @Test
        void isToldOfReplacedOnesOfAnotherApplication() {
            assertThat(use("{a}", "shop")).isEqualTo("nobody");
            assertThat(use("{a}", "stock")).isEqualTo("nobody");
            assertThat(use("{b}", "stock")).isEqualTo("shop");

            assertThat(uses()).isEqualTo("b of stock");
        }

        @Test
        void doesNotReplaceWhatAnOperatorSet() {
            use("{a}", "shop");
            use("{b}", null);
            assertThat(use("{a}", "shop")).isEqualTo("nobody");
            assertThat(use("{}", "shop")).isEqualTo("nobody");
            assertThat(uses()).isEqualTo("b of -");

            use("{b}", "shop");
            use("{a,b}", "shop");
            assertThat(uses()).isEqualTo("a of shop, b of shop");
            use("{}", "shop");
            assertThat(uses()).isEqualTo("none");
        }
    }

    @Nested
    class WhenSomebodyHoldsALock {

        @Test
        void needsNoneToSetWhatIsSet() throws SQLException {
            lanes.limit("'a', running => 1");
            set(2, "shop");
            use("{a}", "shop");
            try (Connection other = lanes.queue.database.connect()) {
                hold(other, "SELECT queue.set_limit('crm', running => 9), queue.use_limits('x', NULL, '{a}')");

                assertThat(set(2, "shop")).isEqualTo("nobody");
                assertThat(use("{a}", "shop")).isEqualTo("nobody");
                other.rollback();
            }
        }

        @Test
        void givesUpAndSaysWhoHasIt() throws SQLException {
            lanes.limit("'a', running => 1");
            set(2, "shop");
            try (Connection other = lanes.queue.database.connect()) {
                int session = hold(other, "SELECT queue.set_limit('crm', running => 9)");
                long began = System.nanoTime();
                assertThatThrownBy(() -> set(3, "shop"))
                        .hasMessageContaining("limit 'crm' is locked for more than 5 seconds by the session " + session)
                        .hasMessageContaining("end it and call again");
                assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(60));
                other.rollback();

                session = hold(other, "SELECT queue.use_limits('x', NULL, '{a}')");
                assertThatThrownBy(() -> use("{a}", "shop"))
                        .hasMessageContaining("limit_use is locked for more than 5 seconds by the session " + session);
                other.rollback();
            }
            assertThat(limit()).isEqualTo("2 of shop");
        }

        private int hold(Connection connection, String sql) throws SQLException {
            connection.setAutoCommit(false);
            try (Statement statement = connection.createStatement()) {
                statement.execute(sql);
                try (var results = statement.executeQuery("SELECT pg_backend_pid()")) {
                    results.next();
                    return results.getInt(1);
                }
            }
        }
    }

    @Test
    void tellsWhichTypesAndQueuesHaveALimit() {
        set(2, "shop");
        use("{crm}", "shop");
        lanes.queue.call("use_limits(NULL, 'bulk', '{crm}', '{header:tenant}')");

        assertThat(lanes.queue.one(String.class, "SELECT uses::text FROM queue.find_limits()"))
                .isEqualTo("[{\"key\": null, \"type\": \"sync\", \"owner\": \"shop\", \"queue\": null},"
                        + " {\"key\": \"header:tenant\", \"type\": null, \"owner\": null, \"queue\": \"bulk\"}]");
    }
}
