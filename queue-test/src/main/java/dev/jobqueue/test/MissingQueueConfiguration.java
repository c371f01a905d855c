package dev.jobqueue.test;

import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Says why there is no queue to test, before other beans fail without it. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnMissingBean(type = "dev.jobqueue.autoconfigure.QueueDatabase")
class MissingQueueConfiguration {

    @Bean
    static BeanFactoryPostProcessor missingQueue() {
        return beans -> {
            throw new IllegalStateException("@JobTest and @AutoConfigureJobTest find no queue: there is no DataSource,"
                    + " or queue.enabled is false. Use @AutoConfigureJobTest beside @SpringBootTest or a slice with a"
                    + " DataSource, such as @JdbcTest and @DataJpaTest; @JobDatabase gives a test its PostgreSQL.");
        };
    }
}
