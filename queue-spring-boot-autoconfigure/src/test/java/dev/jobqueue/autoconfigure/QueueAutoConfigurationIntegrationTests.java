package dev.jobqueue.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.postgres.TestDatabase;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

class QueueAutoConfigurationIntegrationTests {

    private final ApplicationContextRunner runner =
            new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(QueueAutoConfiguration.class));

    @Test
    void isActiveWhereThereIsADataSource() {
        runner.withBean(DataSource.class, () -> TestDatabase.create().dataSource())
                .run(context -> assertThat(context).hasSingleBean(QueueProperties.class));
    }

    @Test
    void backsOffWithoutADataSource() {
        runner.run(context -> assertThat(context).doesNotHaveBean(QueueProperties.class));
    }

    @Test
    void backsOffWhenDisabled() {
        runner.withBean(DataSource.class, () -> TestDatabase.create().dataSource())
                .withPropertyValues("queue.enabled=false")
                .run(context -> assertThat(context).doesNotHaveBean(QueueProperties.class));
    }
}
