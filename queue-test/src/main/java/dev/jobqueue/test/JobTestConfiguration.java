package dev.jobqueue.test;

import dev.jobqueue.autoconfigure.ManualWorkerConfiguration;
import dev.jobqueue.autoconfigure.QueueDataSource;
import dev.jobqueue.spi.ManualWorker;
import java.time.Clock;
import javax.sql.DataSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.DependsOn;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;

/** The beans of the test kit. */
@Configuration(proxyBeanMethods = false)
@Import(ManualWorkerConfiguration.class)
class JobTestConfiguration {

    private static final String SCHEMA = "queue.schema.name";

    /** Not a bean: it would stand beside a clock of the application. */
    private static TestClock clock(TestClockPostProcessor dataSources) {
        return dataSources.clock();
    }

    @Bean
    static TestClockPostProcessor queueTestClockPostProcessor() {
        return new TestClockPostProcessor();
    }

    @Bean
    @DependsOn("queueMigrator")
    TestClockInstaller queueTestClockInstaller(
            @QueueDataSource ObjectProvider<DataSource> chosen,
            ObjectProvider<DataSource> dataSource,
            Environment environment) {
        return new TestClockInstaller(of(chosen, dataSource), environment.getProperty(SCHEMA, "queue"));
    }

    @Bean
    JobTester jobTester(
            ObjectProvider<ManualWorker> worker,
            TestClockPostProcessor dataSources,
            @QueueDataSource ObjectProvider<DataSource> chosen,
            ObjectProvider<DataSource> dataSource,
            Environment environment) {
        DataSource source = of(chosen, dataSource);
        JobReader reader = new JobReader(source, environment.getProperty(SCHEMA, "queue"));
        QueueTime time = new QueueTime(clock(dataSources), source);
        return new JobTester(new TestNode(worker, reader, time), reader, time);
    }

    @Bean
    @ConditionalOnMissingBean
    Clock queueTestClock(TestClockPostProcessor dataSources) {
        return clock(dataSources);
    }

    /** That of the queue; without a proxy for transactions, as transaction managers see it. */
    private static DataSource of(ObjectProvider<DataSource> chosen, ObjectProvider<DataSource> all) {
        DataSource source = chosen.getIfAvailable();
        DataSource found = source != null ? source : all.getObject();
        while (found instanceof TransactionAwareDataSourceProxy proxy && proxy.getTargetDataSource() != null) {
            found = proxy.getTargetDataSource();
        }
        return found;
    }
}
