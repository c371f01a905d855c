package dev.jobqueue.autoconfigure.forward;

import com.rabbitmq.client.Address;
import com.rabbitmq.client.ConnectionFactory;
import dev.jobqueue.Forward;
import dev.jobqueue.HandlerDefinition;
import dev.jobqueue.autoconfigure.QueueProperties;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.amqp.rabbit.connection.AbstractConnectionFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.amqp.autoconfigure.RabbitConnectionDetails;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

/** Sends to RabbitMQ, where the application has one to send to. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass({AbstractConnectionFactory.class, RabbitConnectionDetails.class})
@ConditionalOnSingleCandidate(AbstractConnectionFactory.class)
@ConditionalOnBooleanProperty(name = "queue.forward.rabbit.enabled", matchIfMissing = true)
class RabbitForwardConfiguration {

    @Bean
    ForwardStatus queueRabbitForwardStatus() {
        return new ForwardStatus("RabbitMQ", Forward.RABBIT);
    }

    @Bean(destroyMethod = "close")
    Forwarder queueRabbitForwarder(
            AbstractConnectionFactory connections,
            ObjectProvider<RabbitConnectionDetails> details,
            @Qualifier("queueRabbitForwardStatus") ForwardStatus status,
            QueueProperties properties,
            Environment environment) {
        QueueProperties.Forward forward = properties.forward();
        ConnectionFactory factory = connections.getRabbitConnectionFactory();
        return new Forwarder(
                new RabbitSender(factory, addresses(factory, details.getIfAvailable()), forward.timeout()),
                new MessageReader(
                        MessageReader.Format.RABBIT,
                        forward,
                        QueueForwardAutoConfiguration.source(forward, environment)),
                status,
                forward);
    }

    /** A factory does not tell the addresses that it was given. */
    private static List<Address> addresses(ConnectionFactory factory, @Nullable RabbitConnectionDetails details) {
        return details == null
                ? List.of(new Address(factory.getHost(), factory.getPort()))
                : details.getAddresses().stream()
                        .map(each -> new Address(each.host(), each.port()))
                        .toList();
    }

    @Bean
    HandlerDefinition queueRabbitForwardHandler(@Qualifier("queueRabbitForwarder") Forwarder forwarder) {
        return forwarder.handler();
    }
}
