package dev.jobqueue.internal.maintain;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.jobqueue.internal.db.CheckedQueue;
import dev.jobqueue.internal.db.Schema;
import dev.jobqueue.internal.db.Sql;
import dev.jobqueue.internal.operate.FigureReader;
import java.time.Duration;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.core.simple.JdbcClient;

class UnhandledTypesIntegrationTests {

    private static final Schema SCHEMA = new Schema("queue");

    private final DataSource dataSource = CheckedQueue.create().dataSource();
    private final JdbcClient jdbc = JdbcClient.create(dataSource);
    private final Logger logger = (Logger) LoggerFactory.getLogger(UnhandledTypes.class);
    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
    private final UnhandledTypes unhandled =
            new UnhandledTypes(new FigureReader(Sql.apart(dataSource, SCHEMA)), Duration.ofSeconds(20));

    @BeforeEach
    void listen() {
        lines.start();
        logger.addAppender(lines);
    }

    @AfterEach
    void stopListening() {
        logger.detachAppender(lines);
    }

    private void call(String call) {
        jdbc.sql("SELECT queue." + call).query().listOfRows();
    }

    @Test
    void reportsATypeOnceAndAgainOnlyAfterItWasHandled() {
        call("publish('stray', '{}')");
        call("publish('stray', '{}', 'other')");
        unhandled.report();
        unhandled.report();
        assertThat(lines.list)
                .singleElement()
                .satisfies(line -> assertThat(line.getFormattedMessage())
                        .contains("No live node handles type 'stray' in queue 'default'", "@JobHandler(\"stray\")"));

        call("heartbeat(gen_random_uuid(), types => '{stray}')");
        unhandled.report();
        assertThat(lines.list).hasSize(1);

        jdbc.sql("DELETE FROM queue.worker").update();
        unhandled.report();
        assertThat(lines.list).hasSize(2);
    }

    @Test
    void namesTheQueueAndThePropertyWhereOnlyTheQueueIsNotWorked() {
        call("heartbeat(gen_random_uuid(), queues => '{default}', types => '{slow.work}')");
        call("publish('slow.work', '{}', 'bulk')");
        call("publish('slow.work', '{}', 'My Queue')");
        unhandled.report();
        unhandled.report();
        assertThat(lines.list)
                .extracting(ILoggingEvent::getFormattedMessage)
                .satisfiesExactlyInAnyOrder(
                        line -> assertThat(line)
                                .startsWith("No live node works the queue 'bulk', where jobs of type 'slow.work'"
                                        + " wait, the oldest for 0 s. ")
                                .contains("queue.queues.bulk.slots=10", "queue.worker.queues")
                                .doesNotContain("@JobHandler"),
                        line -> assertThat(line).contains("queue.queues[My Queue].slots=10"));

        call("heartbeat(gen_random_uuid(), queues => '{bulk}', types => '{slow.work}')");
        call("publish('slow.work', '{}', 'third')");
        unhandled.report();
        assertThat(lines.list)
                .hasSize(3)
                .last()
                .satisfies(line -> assertThat(line.getFormattedMessage()).contains("works the queue 'third'"));
    }
}
