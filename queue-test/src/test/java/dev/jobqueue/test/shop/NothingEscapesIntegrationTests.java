package dev.jobqueue.test.shop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.JobPublisher;
import dev.jobqueue.postgres.TestDatabase;
import dev.jobqueue.test.JobTest;
import dev.jobqueue.test.JobTester;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.postgresql.PGConnection;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import org.springframework.test.context.transaction.AfterTransaction;
import org.springframework.test.context.transaction.BeforeTransaction;

/** A test that rolls back leaves the database as it was, and wakes nobody. */
@JobTest({Orders.class, Mailer.class, ShopHandlers.class})
class NothingEscapesIntegrationTests {

    private static final TestDatabase DATABASE = TestDatabase.create();

    @Autowired
    private JobTester jobs;

    @Autowired
    private JobPublisher publisher;

    @Autowired
    private Orders orders;

    @Autowired
    private Mailer mailer;

    private Connection listener;
    private Map<String, String> before;

    @DynamicPropertySource
    static void database(DynamicPropertyRegistry registry) {
        DATABASE.addTo(registry::add);
    }

    @BeforeTransaction
    void look() throws SQLException {
        listener = DATABASE.connect();
        listener.createStatement().execute("LISTEN queue");
        before = contents();
    }

    @AfterTransaction
    void compare() throws SQLException {
        try (Connection connection = listener) {
            assertThat(contents()).isEqualTo(before);
            assertThat(connection.unwrap(PGConnection.class).getNotifications(200))
                    .isNullOrEmpty();
        }
    }

    @Test
    void neitherARowNorANotification() {
        mailer.reset();
        long order = orders.place("ada@example.org");
        publisher.publish("stock.reserve", order);
        publisher.publish("order.broken", order);
        mailer.failNext(2);
        jobs.crashAfter("render").advance(Duration.ofDays(30)).drain();
        assertThat(jobs).completed("invoice.send");
        assertThat(jobs).published("orders.tidy").times(30);
    }

    /** What each table of the queue and of the shop holds. */
    private Map<String, String> contents() throws SQLException {
        Map<String, String> contents = new TreeMap<>();
        try (Connection connection = DATABASE.connect();
                Statement statement = connection.createStatement();
                Statement each = connection.createStatement()) {
            ResultSet tables =
                    statement.executeQuery("SELECT oid::regclass::text FROM pg_class WHERE relkind IN ('r', 'p')"
                            + " AND relnamespace IN ('queue'::regnamespace, 'public'::regnamespace)");
            while (tables.next()) {
                ResultSet rows =
                        each.executeQuery("SELECT count(*) || ' ' || coalesce(md5(string_agg(t::text, ',' ORDER BY"
                                + " t::text)), '') FROM " + tables.getString(1) + " AS t");
                rows.next();
                contents.put(tables.getString(1), rows.getString(1));
            }
        }
        return contents;
    }
}
