package dev.jobqueue.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.internal.db.Schema;
import dev.jobqueue.internal.migrate.SchemaMigrator;
import dev.jobqueue.postgres.TestDatabase;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The database of docs/sql.md: schema and roles installed, and one session that runs the examples. */
final class SqlPageDatabase implements AutoCloseable {

    private static final List<String> LOGINS = List.of("shop_worker", "shop_report");
    private static final List<String> ROLES =
            List.of("queue_publisher", "queue_worker", "queue_viewer", "queue_operator");

    private final TestDatabase database = TestDatabase.create();
    private final JdbcClient jdbc = JdbcClient.create(database.dataSource());
    /** Roles belong to the whole server, which may not be ours alone. */
    private final String suffix = UUID.randomUUID().toString().substring(0, 8);

    private final List<String> rolesBefore = roles();
    private final Connection connection;
    private final Psql psql;

    SqlPageDatabase() throws SQLException, IOException {
        new SchemaMigrator(database.dataSource(), new Schema("queue")).migrate();
        String script = new ClassPathResource("dev/jobqueue/schema/optional/roles.sql")
                .getContentAsString(StandardCharsets.UTF_8)
                .replaceAll("(?s)\\\\if.*?\\\\endif", "");
        String url = database.jdbcUrl() + (database.jdbcUrl().contains("?") ? "&" : "?") + "preferQueryMode=simple";
        connection = DriverManager.getConnection(url, database.username(), database.password());
        psql = new Psql(connection);
        try (Statement statement = connection.createStatement()) {
            statement.execute("SET search_path = queue; " + script + "RESET search_path");
        }
    }

    JdbcClient jdbc() {
        return jdbc;
    }

    /** Runs an example, and compares the answer if the page shows one. */
    void check(SqlExample example) throws SQLException {
        String sql = example.sql();
        for (String login : LOGINS) {
            sql = sql.replace(login, own(login));
        }
        String printed = psql.run(sql);
        example.answer()
                .ifPresent(answer -> assertThat(masked(printed))
                        .as("docs/sql.md, line %d", example.line())
                        .isEqualTo(masked(answer)));
    }

    /** Without what is different each time. */
    private static String masked(String text) {
        return text.replaceAll("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "<uuid>")
                .replaceAll("\\b\\d{18,}\\b", "<lease>")
                .replaceAll("\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d[.\\d]*[+-][\\d:]+", "<time>")
                .replaceAll("oldest for \\d\\d:\\d\\d:\\d\\d", "oldest for <span>")
                .replaceAll("PID \\d+", "PID")
                .replaceAll(" +(?=\n|$)", "");
    }

    /** How libpq connects as the login of the page. */
    String connectionString(String login) {
        String password = suffix + "-secret";
        jdbc.sql("ALTER ROLE %s PASSWORD '%s'".formatted(own(login), password)).update();
        String[] parts =
                database.jdbcUrl().replaceAll("jdbc:postgresql://|\\?.*", "").split("[:/]", 3);
        return "host=%s port=%s dbname=%s user=%s password=%s"
                .formatted(parts[0], parts[1], parts[2], own(login), password);
    }

    private String own(String login) {
        return login + "_" + suffix;
    }

    private List<String> roles() {
        return jdbc.sql("SELECT rolname FROM pg_roles").query(String.class).list();
    }

    @Override
    public void close() throws SQLException {
        connection.close();
        List<String> there = roles();
        Stream.concat(LOGINS.stream().map(this::own), ROLES.stream())
                .filter(there::contains)
                .forEach(role -> {
                    jdbc.sql("DROP OWNED BY " + role).update();
                    if (!rolesBefore.contains(role)) {
                        jdbc.sql("DROP ROLE " + role).update();
                    }
                });
    }
}
