package dev.jobqueue.test;

import java.lang.reflect.Modifier;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Clock;
import java.time.ZoneId;
import java.util.Arrays;
import javax.sql.DataSource;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;

/** Lets the connections of every {@link DataSource}, and every system {@link Clock}, tell the time of the tests. */
final class TestClockPostProcessor implements BeanPostProcessor {

    private final TestClock clock = new TestClock();
    private final MethodInterceptor connections = this::call;

    TestClock clock() {
        return clock;
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String name) {
        if (bean instanceof Clock application) {
            ZoneId zone = application.getZone();
            // a mock has none
            return zone != null && application.equals(Clock.system(zone)) ? clock.withZone(zone) : bean;
        }
        if (bean instanceof TransactionAwareDataSourceProxy || bean instanceof LazyConnectionDataSourceProxy) {
            seeThrough((DelegatingDataSource) bean);
            return bean;
        }
        return bean instanceof DataSource ? seeing(bean) : bean;
    }

    /** Its connections are those of another one, which need not be a bean. */
    private void seeThrough(DelegatingDataSource proxy) {
        DataSource target = proxy.getTargetDataSource();
        if (target instanceof DelegatingDataSource delegating) {
            seeThrough(delegating);
        } else if (target != null && !isSeeing(target)) {
            proxy.setTargetDataSource((DataSource) seeing(target));
        }
    }

    private boolean isSeeing(DataSource dataSource) {
        return dataSource instanceof Advised advised
                && Arrays.stream(advised.getAdvisors()).anyMatch(each -> each.getAdvice() == connections);
    }

    /** Of the same class if possible, because applications ask for the DataSource by the class of their pool. */
    private Object seeing(Object dataSource) {
        ProxyFactory factory = new ProxyFactory(dataSource);
        factory.setProxyTargetClass(!Modifier.isFinal(dataSource.getClass().getModifiers()));
        factory.addAdvice(connections);
        return factory.getProxy();
    }

    private @Nullable Object call(MethodInvocation call) throws Throwable {
        Object result = call.proceed();
        return result instanceof Connection connection
                        && call.getMethod().getName().equals("getConnection")
                ? seeing(connection)
                : result;
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
