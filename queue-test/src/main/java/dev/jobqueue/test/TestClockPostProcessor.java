package dev.jobqueue.test;

import javax.sql.DataSource;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;

/** Lets the connections of every {@link DataSource} see the clock of the tests. */
final class TestClockPostProcessor implements BeanPostProcessor {

    private final TestClock clock = new TestClock();

    TestClock clock() {
        return clock;
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String name) {
        return bean instanceof DataSource dataSource && !(bean instanceof TransactionAwareDataSourceProxy)
                ? new TestClockDataSource(dataSource, clock)
                : bean;
    }
}
