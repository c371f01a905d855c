package dev.jobqueue.internal.db;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobqueue.internal.QueueFixture;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Objects;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

/** A session of its own under one of the roles that roles.sql makes. */
public final class RoleSession {

    public static final List<String> ROLES =
            List.of("queue_publisher", "queue_worker", "queue_viewer", "queue_operator");
    private static final String INSUFFICIENT_PRIVILEGE = "42501";

    public final Sql sql;
    public final JdbcClient client;
    private final QueueFixture queue;
    private final SingleConnectionDataSource dataSource;

    public RoleSession(QueueFixture queue) {
        this.queue = queue;
        this.dataSource = queue.connect();
        this.sql = Sql.joining(dataSource, QueueFixture.SCHEMA);
        this.client = JdbcClient.create(dataSource);
    }

    /** Makes the roles, and returns those that were there: roles belong to the whole server. */
    public static List<String> applyRoles(QueueFixture queue) throws IOException, SQLException {
        List<String> before = queue.list(String.class, "SELECT rolname FROM pg_roles");
        String script;
        try (InputStream in = Sql.class.getResourceAsStream("/dev/jobqueue/schema/optional/roles.sql")) {
            script = new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
        }
        // The part for psql alone: takes the schema from a variable.
        String plain = script.replaceAll("(?s)\\\\if.*?\\\\endif", "");
        try (Connection connection = queue.database.connect();
                Statement statement = connection.createStatement()) {
            statement.execute("SET search_path = queue");
            statement.execute(plain);
            statement.execute(plain);
        }
        return before;
    }

    public static void dropRoles(QueueFixture queue, List<String> before) {
        for (String role : ROLES) {
            queue.execute("DROP OWNED BY " + role);
            if (!before.contains(role)) {
                queue.execute("DROP ROLE " + role);
            }
        }
    }

    public void close() {
        dataSource.destroy();
    }

    public void become(String role) {
        execute("SET ROLE " + role);
    }

    public void execute(String statement) {
        client.sql(statement).update();
    }

    public void read(String view) {
        client.sql("SELECT * FROM " + view).query().listOfRows();
    }

    public void call(String call) {
        sql.run(sql.call(call), statement -> {});
    }

    public static void denies(ThrowingCallable call) {
        assertThatThrownBy(call)
                .satisfies(thrown -> assertThat(NestedExceptionUtils.getMostSpecificCause(thrown))
                        .isInstanceOfSatisfying(
                                SQLException.class,
                                cause -> assertThat(cause.getSQLState()).isEqualTo(INSUFFICIENT_PRIVILEGE)));
    }

    private List<String> relations(String kinds) {
        return queue.list(
                String.class,
                "SELECT format('queue.%I', relname) FROM pg_class"
                        + " WHERE relnamespace = 'queue'::regnamespace AND relkind IN (" + kinds + ")");
    }

    public void cannotReadViews() {
        for (String view : relations("'v'")) {
            denies(() -> execute("SELECT FROM " + view));
        }
    }

    public void cannotTouchTables() {
        for (String table : relations("'r', 'p'")) {
            denies(() -> execute("SELECT FROM " + table));
            denies(() -> execute("INSERT INTO " + table + " DEFAULT VALUES"));
            denies(() -> execute("DELETE FROM " + table));
        }
        denies(() -> execute("TRUNCATE queue.job"));
        denies(() -> execute("UPDATE queue.job SET priority = 1"));
        denies(() -> execute("SELECT nextval('queue.lease_number')"));
        denies(() -> execute("CREATE TABLE queue.mine ()"));
    }
}
