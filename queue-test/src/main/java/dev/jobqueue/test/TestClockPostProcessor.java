package dev.jobqueue.test;

import java.lang.reflect.Modifier;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Clock;
import javax.sql.DataSource;
import org.aopalliance.intercept.MethodInterceptor;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;

/** Lets the connections of every {@link DataSource}, and every system {@link Clock}, tell the time of the tests. */
final class TestClockPostProcessor implements BeanPostProcessor {

    private final TestClock clock = new TestClock();

    TestClock clock() {
        return clock;
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String name) {
        if (bean instanceof Clock application && application.equals(Clock.system(application.getZone()))) {
            return clock.withZone(application.getZone());
        }
        return bean instanceof DataSource && !(bean instanceof TransactionAwareDataSourceProxy) ? seeing(bean) : bean;
    }

    /** Of the same class if possible, because applications ask for the DataSource by the class of their pool. */
    private Object seeing(Object dataSource) {
        ProxyFactory factory = new ProxyFactory(dataSource);
        factory.setProxyTargetClass(!Modifier.isFinal(dataSource.getClass().getModifiers()));
        factory.addAdvice((MethodInterceptor) call -> {
            Object result = call.proceed();
            return result instanceof Connection connection
                            && call.getMethod().getName().equals("getConnection")
                    ? seeing(connection)
                    : result;
        });
        return factory.getProxy();
    }

    private Connection seeing(Connection connection) throws SQLException {
        try {
            clock.applyToNew(connection);
            return connection;
        } catch (SQLException | RuntimeException ex) {
            connection.close();
            throw ex;
        }
    }
}
