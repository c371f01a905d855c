package dev.jobqueue.guide;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.JobPublisher;
import dev.jobqueue.OnDead;
import dev.jobqueue.guide.Forwarding.OrderPlaced;
import dev.jobqueue.guide.Forwarding.OrderShipped;
import dev.jobqueue.operate.JobOperations;
import dev.jobqueue.test.AutoConfigureJobTest;
import dev.jobqueue.test.JobDatabase;
import dev.jobqueue.test.JobTester;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.annotation.Transactional;

/** The examples of docs/forwarding.md do what that page says, as far as no broker is needed. */
@SpringBootTest(webEnvironment = WebEnvironment.NONE)
@AutoConfigureJobTest
@JobDatabase
@Transactional
class GuideForwardingIntegrationTests {

    @Autowired
    private Forwarding forwarding;

    @Autowired
    private JobPublisher jobs;

    @Autowired
    private JobOperations operations;

    @Autowired
    private JobTester tester;

    @Autowired
    private JdbcClient jdbc;

    @Test
    void publishesMessages() {
        forwarding.ship(new OrderShipped(42));
        forwarding.announce(new OrderShipped(42));
        forwarding.publish(new OrderPlaced(42, "Ada"));

        assertThat(tester).published("forward.kafka").inQueue("forward.kafka").times(2);
        assertThat(tester).published("forward.rabbit").inQueue("forward.rabbit").once();
    }

    @Test
    void goesOnWithoutDeadLetters() {
        forwarding.goOnWithoutDeadLetters();

        assertThat(operations
                        .limits()
                        .find("forward.kafka")
                        .orElseThrow()
                        .definition()
                        .onDead())
                .isEqualTo(OnDead.CONTINUE);
    }

    @Test
    void consumesAMessageOnce() {
        OrderListener listener = new OrderListener(jobs);
        String message = UUID.randomUUID().toString();
        listener.on(new OrderPlaced(42, "Ada"), message);
        listener.on(new OrderPlaced(42, "Ada"), message);

        assertThat(tester).published("order.pack").once();
    }

    @Test
    void publishesMessagesBySql() throws IOException {
        String example = Files.readString(Path.of("src/test/resources/guide/forward.sql"));
        jdbc.sql(example.substring(0, example.indexOf(';'))).query(UUID.class).single();

        assertThat(tester).published("forward.kafka").once();
    }
}
