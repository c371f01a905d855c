package dev.jobqueue.survival.node;

import dev.jobqueue.survival.ledger.Ledger;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;

/** An application that only publishes. The command {@code hold} makes it stay between a publish and its commit. */
@EnableAutoConfiguration
@Import({LedgerConfiguration.class, Producer.class})
public class ProducerNode {

    public static void main(String[] arguments) {
        Leash leash = Leash.hold();
        ConfigurableApplicationContext context = SpringApplication.run(ProducerNode.class, arguments);
        Producer producer = context.getBean(Producer.class);
        leash.obey(command -> producer.hold());
        producer.start();
        context.getBean(Ledger.class).ready();
    }
}
