package dev.jobqueue.guide;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.jobqueue.autoconfigure.QueueProperties;
import java.time.Duration;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.postgresql.Driver;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.ConfigDataApplicationContextInitializer;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.StandardEnvironment;

/**
 * Settings that name servers which are not there: bound for real, down to what the driver and the pool make of them.
 */
class GuideYamlTests {

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withInitializer(GuideYamlTests::ignoreTheEnvironment)
            .withInitializer(new ConfigDataApplicationContextInitializer())
            .withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class))
            .withUserConfiguration(Settings.class);

    @Test
    void thePoolIsOfThatSizeAndItsSocketsTimeOut() {
        settingsOf("pool.yml").run(context -> {
            HikariDataSource pool = context.getBean(HikariDataSource.class);
            assertThat(pool.getMaximumPoolSize()).isEqualTo(20);
            assertThat(parsed(pool.getJdbcUrl()))
                    .containsEntry("PGHOST", "db.example.org")
                    .containsEntry("PGDBNAME", "shop")
                    .containsEntry("socketTimeout", "60")
                    .containsEntry("tcpKeepAlive", "true");
        });
    }

    @Test
    void behindPgBouncerTheQueuePolls() {
        settingsOf("pgbouncer.yml").run(context -> {
            assertThat(parsed(context.getBean(HikariDataSource.class).getJdbcUrl()))
                    .containsEntry("PGHOST", "pgbouncer.example.org")
                    .containsEntry("PGPORT", "6432")
                    .containsEntry("prepareThreshold", "0");
            QueueProperties queue = context.getBean(QueueProperties.class);
            assertThat(queue.listener().enabled()).isFalse();
            assertThat(queue.worker().pollInterval()).isEqualTo(Duration.ofSeconds(1));
        });
    }

    @Test
    void aQueueThatOnlyThePublisherNamesGetsSlots() {
        settingsOf("night.yml")
                .withPropertyValues("spring.datasource.url=jdbc:postgresql://db.example.org/shop")
                .run(context -> assertThat(
                                context.getBean(QueueProperties.class).queues().get("night"))
                        .isNotNull()
                        .satisfies(night -> assertThat(night.slots()).isEqualTo(2)));
    }

    private ApplicationContextRunner settingsOf(String file) {
        return application.withPropertyValues("spring.config.location=classpath:guide/" + file);
    }

    /** Where somebody may have a database of his own named. */
    private static void ignoreTheEnvironment(ConfigurableApplicationContext context) {
        context.getEnvironment()
                .getPropertySources()
                .remove(StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME);
    }

    private static Properties parsed(String url) {
        return Driver.parseURL(url, null);
    }

    @Configuration(proxyBeanMethods = false)
    @EnableConfigurationProperties(QueueProperties.class)
    static class Settings {}
}
