package dev.jobqueue.postgres;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * A fresh, empty database on the {@linkplain TestServer server of this JVM}; dropped at the latest when the JVM ends.
 */
public final class TestDatabase {

    private final String jdbcUrl;
    private final String username;
    private final String password;

    /** A database that exists already: for a process that shares one with its parent. */
    public TestDatabase(String jdbcUrl, String username, String password) {
        this.jdbcUrl = jdbcUrl;
        this.username = username;
        this.password = password;
    }

    /** Creates a database nobody else uses: one for each test class keeps tests apart. */
    public static TestDatabase create() {
        return TestServer.get().createDatabase("template1");
    }

    /** Creates a database with what this one contains; nobody may be connected to this one. Quicker than to migrate. */
    public TestDatabase copy() {
        return TestServer.get().createDatabase(TestServer.databaseOf(jdbcUrl));
    }

    public String jdbcUrl() {
        return jdbcUrl;
    }

    public String username() {
        return username;
    }

    public String password() {
        return password;
    }

    /** Adds where it is to the properties of a Spring application: {@code database.addTo(registry::add)}. */
    public void addTo(BiConsumer<String, Supplier<Object>> properties) {
        properties.accept("spring.datasource.url", this::jdbcUrl);
        properties.accept("spring.datasource.username", this::username);
        properties.accept("spring.datasource.password", this::password);
    }

    /** Opens a connection of its own for each call. */
    public DataSource dataSource() {
        PGSimpleDataSource dataSource = new PGSimpleDataSource();
        dataSource.setUrl(jdbcUrl);
        dataSource.setUser(username);
        dataSource.setPassword(password);
        return dataSource;
    }

    public Connection connect() throws SQLException {
        return DriverManager.getConnection(jdbcUrl, username, password);
    }
}
