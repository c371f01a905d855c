package dev.jobqueue.internal.migrate;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** As a pool that is used up: refuses more connections at a time than it was told to give. */
final class LimitedDataSource extends DelegatingDataSource {

    private final int limit;
    private final AtomicInteger open = new AtomicInteger();

    LimitedDataSource(DataSource dataSource, int limit) {
        super(dataSource);
        this.limit = limit;
    }

    int open() {
        return open.get();
    }

    @Override
    public Connection getConnection() throws SQLException {
        if (open.incrementAndGet() > limit) {
            open.decrementAndGet();
            throw new SQLTransientConnectionException("all %d connections are taken".formatted(limit));
        }
        Connection connection = super.getConnection();
        return (Connection) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("close") && !connection.isClosed()) {
                        open.decrementAndGet();
                    }
                    try {
                        return method.invoke(connection, arguments);
                    } catch (InvocationTargetException ex) {
                        throw ex.getCause();
                    }
                });
    }
}
