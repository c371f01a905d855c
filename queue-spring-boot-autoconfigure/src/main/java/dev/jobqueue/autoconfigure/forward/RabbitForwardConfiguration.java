package dev.jobqueue.autoconfigure.forward;

import dev.jobqueue.Forward;
import dev.jobqueue.HandlerDefinition;
import dev.jobqueue.autoconfigure.InvalidQueueConfigurationException;
import dev.jobqueue.autoconfigure.QueueProperties;
import dev.jobqueue.autoconfigure.forward.broker.RabbitSender;
import org.springframework.amqp.rabbit.connection.AbstractConnectionFactory;
import org.springframework.amqp.rabbit.connection.ConnectionFactory;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

/** Sends to RabbitMQ, where the application has one to send to. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass(ConnectionFactory.class)
@ConditionalOnSingleCandidate(ConnectionFactory.class)
@ConditionalOnBooleanProperty(name = "queue.forward.rabbit.enabled", matchIfMissing = true)
class RabbitForwardConfiguration {

    @Bean
    ForwardStatus queueRabbitForwardStatus() {
        return new ForwardStatus("RabbitMQ", Forward.RABBIT);
    }

    @Bean(destroyMethod = "close")
    Forwarder queueRabbitForwarder(
            ConnectionFactory connections,
            @Qualifier("queueRabbitForwardStatus") ForwardStatus status,
            QueueProperties properties,
            Environment environment) {
        QueueProperties.Forward forward = ForwardSettings.checked(properties);
        if (!(connections instanceof AbstractConnectionFactory factory)) {
            throw new InvalidQueueConfigurationException(
                    "Messages for RabbitMQ cannot be sent by a %s: it does not say where its broker is."
                            .formatted(connections.getClass().getSimpleName()),
                    "Make a CachingConnectionFactory the @Primary one, or set queue.forward.rabbit.enabled=false.");
        }
        return new Forwarder(
                new RabbitSender(factory, forward.timeout()),
                new MessageReader(MessageReader.Format.RABBIT, forward, ForwardSettings.source(forward, environment)),
                status,
                forward);
    }

    @Bean
    HandlerDefinition queueRabbitForwardHandler(@Qualifier("queueRabbitForwarder") Forwarder forwarder) {
        return forwarder.handler();
    }
}
