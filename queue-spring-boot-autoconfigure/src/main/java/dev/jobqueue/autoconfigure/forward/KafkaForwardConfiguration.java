package dev.jobqueue.autoconfigure.forward;

import dev.jobqueue.Forward;
import dev.jobqueue.HandlerDefinition;
import dev.jobqueue.autoconfigure.QueueProperties;
import dev.jobqueue.autoconfigure.forward.broker.KafkaSender;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.kafka.core.ProducerFactory;

/** Sends to Kafka, where the application has one to send to. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass(ProducerFactory.class)
@ConditionalOnSingleCandidate(ProducerFactory.class)
@ConditionalOnBooleanProperty(name = "queue.forward.kafka.enabled", matchIfMissing = true)
class KafkaForwardConfiguration {

    @Bean
    ForwardStatus queueKafkaForwardStatus() {
        return new ForwardStatus("Kafka", Forward.KAFKA);
    }

    @Bean(destroyMethod = "close")
    Forwarder queueKafkaForwarder(
            ProducerFactory<?, ?> producers,
            @Qualifier("queueKafkaForwardStatus") ForwardStatus status,
            QueueProperties properties,
            Environment environment) {
        QueueProperties.Forward forward = ForwardSettings.checked(properties);
        return new Forwarder(
                new KafkaSender(producers, forward.timeout()),
                new MessageReader(MessageReader.Format.KAFKA, forward, ForwardSettings.source(forward, environment)),
                status,
                forward);
    }

    @Bean
    HandlerDefinition queueKafkaForwardHandler(@Qualifier("queueKafkaForwarder") Forwarder forwarder) {
        return forwarder.handler();
    }
}
