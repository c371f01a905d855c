package dev.jobqueue.test;

import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** Gives connections whose sessions see the clock of the tests. */
final class TestClockDataSource extends DelegatingDataSource {

    private final TestClock clock;

    TestClockDataSource(DataSource target, TestClock clock) {
        super(target);
        this.clock = clock;
    }

    @Override
    public Connection getConnection() throws SQLException {
        return seeing(super.getConnection());
    }

    @Override
    public Connection getConnection(String username, String password) throws SQLException {
        return seeing(super.getConnection(username, password));
    }

    private Connection seeing(Connection connection) throws SQLException {
        try {
            clock.applyTo(connection);
            return connection;
        } catch (SQLException | RuntimeException ex) {
            connection.close();
            throw ex;
        }
    }
}
