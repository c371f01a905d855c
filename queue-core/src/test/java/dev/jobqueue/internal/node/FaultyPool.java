package dev.jobqueue.internal.node;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** A pool whose connections can be withheld, and whose answers can get lost. */
final class FaultyPool extends DelegatingDataSource {

    private final AtomicInteger unanswered = new AtomicInteger();
    private final AtomicInteger waiters = new AtomicInteger();
    private volatile boolean cut;
    private volatile @Nullable CountDownLatch exhausted;
    private volatile String lost = "nothing(";

    FaultyPool(DataSource target) {
        super(target);
    }

    /** From now on whoever asks for a connection is refused. */
    void cut() {
        cut = true;
    }

    /** From now on whoever asks for a connection waits. */
    void exhaust() {
        exhausted = new CountDownLatch(1);
    }

    /** How many have waited for a connection. */
    int waiters() {
        return waiters.get();
    }

    void repair() {
        cut = false;
        CountDownLatch waiting = exhausted;
        exhausted = null;
        if (waiting != null) {
            waiting.countDown();
        }
    }

    /** The next so many calls of this function that return something take effect, but fail for the caller. */
    void loseAnswers(String function, int count) {
        lost = function + "(";
        unanswered.set(count);
    }

    int unanswered() {
        return unanswered.get();
    }

    @Override
    public Connection getConnection() throws SQLException {
        CountDownLatch waiting = exhausted;
        if (waiting != null) {
            waiters.incrementAndGet();
            try {
                waiting.await();
            } catch (InterruptedException ex) {
                Thread.currentThread().interrupt();
                throw new SQLException(ex);
            }
        }
        if (cut) {
            throw new SQLTransientConnectionException("cut off");
        }
        Connection connection = super.getConnection();
        return proxy(Connection.class, (proxy, method, arguments) -> {
            Object result = call(connection, method, arguments);
            boolean concerned = method.getName().equals("prepareStatement")
                    && String.valueOf(arguments[0]).contains(lost);
            return concerned && result instanceof PreparedStatement statement ? losing(statement) : result;
        });
    }

    private PreparedStatement losing(PreparedStatement statement) {
        return proxy(PreparedStatement.class, (proxy, method, arguments) -> {
            Object result = call(statement, method, arguments);
            if (result instanceof ResultSet rows
                    && rows.isBeforeFirst()
                    && unanswered.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
                throw new SQLException("the connection broke", "08006");
            }
            return result;
        });
    }

    private static Object call(Object target, Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException ex) {
            throw ex.getTargetException();
        }
    }

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }
}
