package dev.jobqueue.dashboard;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** The statements that an application sends, with what the server said to each of them. */
final class Statements implements BeanPostProcessor {

    /**
     * A statement that was executed.
     *
     * @param sql what it was
     * @param notices what the server said meanwhile
     */
    record Executed(String sql, List<String> notices) {}

    private final List<Executed> executed = new ArrayList<>();

    /** Those since the last time; without what is asked once of each pool. */
    synchronized List<Executed> take() {
        List<Executed> taken = executed.stream()
                .filter(each -> !each.sql().startsWith("SHOW "))
                .toList();
        executed.clear();
        return taken;
    }

    private synchronized void add(Executed statement) {
        executed.add(statement);
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String name) {
        return bean instanceof DataSource dataSource ? new Observed(dataSource) : bean;
    }

    private final class Observed extends DelegatingDataSource {

        Observed(DataSource dataSource) {
            super(dataSource);
        }

        @Override
        public Connection getConnection() throws SQLException {
            Connection connection = super.getConnection();
            return proxy(Connection.class, connection, (method, arguments, result) -> {
                if (result instanceof PreparedStatement statement) {
                    return observed(PreparedStatement.class, statement, String.valueOf(arguments[0]));
                }
                return result instanceof Statement statement ? observed(Statement.class, statement, "") : result;
            });
        }
    }

    private <T extends Statement> T observed(Class<T> type, T statement, String sql) {
        return proxy(type, statement, (method, arguments, result) -> {
            if (method.startsWith("execute")) {
                List<String> notices = new ArrayList<>();
                for (SQLWarning each = statement.getWarnings(); each != null; each = each.getNextWarning()) {
                    notices.add(String.valueOf(each.getMessage()));
                }
                add(new Executed(sql.isEmpty() ? String.valueOf(arguments[0]) : sql, notices));
            }
            return result;
        });
    }

    @FunctionalInterface
    private interface Watch {
        Object returned(String method, Object[] arguments, Object result) throws SQLException;
    }

    private static <T> T proxy(Class<T> type, T target, Watch watch) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (self, method, given) -> {
            Object[] arguments = given == null ? new Object[0] : given;
            try {
                return watch.returned(method.getName(), arguments, method.invoke(target, arguments));
            } catch (InvocationTargetException ex) {
                throw ex.getCause();
            }
        }));
    }
}
