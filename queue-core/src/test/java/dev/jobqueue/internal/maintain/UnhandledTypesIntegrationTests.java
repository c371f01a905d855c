package dev.jobqueue.internal.maintain;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.jobqueue.internal.db.Schema;
import dev.jobqueue.internal.db.Sql;
import dev.jobqueue.internal.migrate.SchemaMigrator;
import dev.jobqueue.internal.operate.FigureReader;
import dev.jobqueue.postgres.TestDatabase;
import java.time.Duration;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.core.simple.JdbcClient;

class UnhandledTypesIntegrationTests {

    private static final Schema SCHEMA = new Schema("queue");

    private final DataSource dataSource = TestDatabase.create().dataSource();
    private final JdbcClient jdbc = JdbcClient.create(dataSource);
    private final Logger logger = (Logger) LoggerFactory.getLogger(UnhandledTypes.class);
    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
    private final UnhandledTypes unhandled =
            new UnhandledTypes(new FigureReader(Sql.apart(dataSource, SCHEMA)), Duration.ofSeconds(20));

    @BeforeEach
    void listen() {
        new SchemaMigrator(dataSource, SCHEMA).migrate();
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
}
