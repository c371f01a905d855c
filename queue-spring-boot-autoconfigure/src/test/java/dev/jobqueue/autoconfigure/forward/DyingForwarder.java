package dev.jobqueue.autoconfigure.forward;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.NoOpMetricsCollector;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.amqp.autoconfigure.ConnectionFactoryCustomizer;
import org.springframework.boot.amqp.autoconfigure.metrics.RabbitMetricsAutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.kafka.autoconfigure.DefaultKafkaProducerFactoryCustomizer;
import org.springframework.context.annotation.Bean;

/** A node that dies as a killed one does when a broker has acknowledged what the database does not know yet. */
@EnableAutoConfiguration(exclude = RabbitMetricsAutoConfiguration.class) // would set another collector
class DyingForwarder {

    static final int HALTED = 42;
    static final int ACKNOWLEDGEMENTS = 50;

    public static void main(String[] args) throws InterruptedException {
        SpringApplication.run(DyingForwarder.class, args);
        Thread.currentThread().join();
    }

    @Bean
    DefaultKafkaProducerFactoryCustomizer dying() {
        AtomicInteger left = new AtomicInteger(ACKNOWLEDGEMENTS);
        return new Acknowledgements((topic, error) -> {
            if (left.decrementAndGet() == 0) {
                Runtime.getRuntime().halt(HALTED);
            }
            return error;
        });
    }

    @Bean
    ConnectionFactoryCustomizer dyingToo() {
        // each may be for many messages
        AtomicInteger left = new AtomicInteger(20);
        return factory -> factory.setMetricsCollector(new NoOpMetricsCollector() {
            @Override
            public void basicPublishAck(Channel channel, long deliveryTag, boolean multiple) {
                if (left.decrementAndGet() == 0) {
                    Runtime.getRuntime().halt(HALTED);
                }
            }
        });
    }
}
