package dev.jobqueue.survival.node;

import com.zaxxer.hikari.HikariDataSource;
import dev.jobqueue.survival.ledger.Ledger;
import java.time.Duration;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;

/** An application that works jobs. The command {@code hog <millis>} makes it take all connections of its pool. */
@EnableAutoConfiguration
@Import({LedgerConfiguration.class, Handlers.class, BadHandlers.class})
public class WorkerNode {

    private static final String HOG = "hog ";

    public static void main(String[] arguments) {
        Leash leash = Leash.hold();
        ConfigurableApplicationContext context = SpringApplication.run(WorkerNode.class, arguments);
        PoolHog hog = new PoolHog(context.getBean(HikariDataSource.class));
        leash.obey(command -> hog.feast(Duration.ofMillis(Long.parseLong(command.substring(HOG.length())))));
        context.getBean(Ledger.class).ready();
    }
}
