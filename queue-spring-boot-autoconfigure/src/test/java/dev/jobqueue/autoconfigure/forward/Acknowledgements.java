package dev.jobqueue.autoconfigure.forward;

import java.lang.reflect.Proxy;
import java.util.concurrent.Future;
import java.util.function.BiFunction;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.kafka.autoconfigure.DefaultKafkaProducerFactoryCustomizer;
import org.springframework.kafka.core.DefaultKafkaProducerFactory;
import org.springframework.kafka.core.ProducerPostProcessor;

/** Stands between Kafka's acknowledgements and the sender, which hears what this makes of them. */
final class Acknowledgements implements DefaultKafkaProducerFactoryCustomizer {

    private final BiFunction<String, @Nullable Exception, @Nullable Exception> made;

    Acknowledgements(BiFunction<String, @Nullable Exception, @Nullable Exception> made) {
        this.made = made;
    }

    @Override
    @SuppressWarnings({"unchecked", "rawtypes"})
    public void customize(DefaultKafkaProducerFactory<?, ?> factory) {
        ((DefaultKafkaProducerFactory) factory).addPostProcessor((ProducerPostProcessor<Object, Object>) this::watched);
    }

    @SuppressWarnings("unchecked")
    private Producer<Object, Object> watched(Producer<Object, Object> producer) {
        return (Producer<Object, Object>) Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {Producer.class},
                (proxy, method, arguments) -> method.getName().equals("send") && arguments.length == 2
                        ? send(producer, (ProducerRecord<Object, Object>) arguments[0], (Callback) arguments[1])
                        : method.invoke(producer, arguments));
    }

    private Future<?> send(Producer<Object, Object> producer, ProducerRecord<Object, Object> message, Callback told) {
        return producer.send(
                message, (metadata, error) -> told.onCompletion(metadata, made.apply(message.topic(), error)));
    }
}
