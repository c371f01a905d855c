package dev.jobqueue.autoconfigure.forward;

import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.amqp.rabbit.connection.ConnectionFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.kafka.core.ProducerFactory;

/** Says at start that no messages are sent, because it is not clear to which of several brokers. */
@Configuration(proxyBeanMethods = false)
class UndecidedBrokers {

    private static final Logger log = LoggerFactory.getLogger(UndecidedBrokers.class);

    private static SmartInitializingSingleton warning(
            String broker, String property, Class<?> type, ListableBeanFactory beans) {
        return () -> log.warn(
                "No messages are sent to {}, because there are several beans of the type {} and none is @Primary:"
                        + " {}. Make one of them @Primary, or set {}=false.",
                broker,
                type.getSimpleName(),
                List.of(beans.getBeanNamesForType(type, true, false)),
                property);
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(ProducerFactory.class)
    @ConditionalOnBean(ProducerFactory.class)
    @ConditionalOnMissingBean(name = "queueKafkaForwarder")
    @ConditionalOnBooleanProperty(name = "queue.forward.kafka.enabled", matchIfMissing = true)
    static class Kafka {

        @Bean
        SmartInitializingSingleton queueKafkaUndecided(ListableBeanFactory beans) {
            return warning("Kafka", "queue.forward.kafka.enabled", ProducerFactory.class, beans);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(ConnectionFactory.class)
    @ConditionalOnBean(ConnectionFactory.class)
    @ConditionalOnMissingBean(name = "queueRabbitForwarder")
    @ConditionalOnBooleanProperty(name = "queue.forward.rabbit.enabled", matchIfMissing = true)
    static class Rabbit {

        @Bean
        SmartInitializingSingleton queueRabbitUndecided(ListableBeanFactory beans) {
            return warning("RabbitMQ", "queue.forward.rabbit.enabled", ConnectionFactory.class, beans);
        }
    }
}
