package dev.jobqueue.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.net.ConnectException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.BadSqlGrammarException;

class OutageTests {

    private final Outage outage = new Outage("Trying");

    private List<Duration> pauses(int failures) {
        return Stream.generate(() -> outage.failed(new IllegalStateException("away")))
                .limit(failures)
                .toList();
    }

    @Test
    void pausesLongerAndLongerUpToFiveSeconds() {
        List<Duration> pauses = pauses(12);
        for (int i = 0; i < pauses.size(); i++) {
            long longest = Math.min(5_000, 100L << i);
            assertThat(pauses.get(i)).isBetween(Duration.ofMillis(longest / 2), Duration.ofMillis(longest));
        }
    }

    @Test
    void pausesDifferentlyEachTimeSoThatNodesDoNotReturnAtOnce() {
        pauses(10);
        Set<Duration> different = new HashSet<>(pauses(50));
        assertThat(different).hasSizeGreaterThan(10);
    }

    @Test
    void beginsAnewWhenItWasOver() {
        pauses(10);
        assertThat(outage.isOn()).isTrue();
        outage.over();
        assertThat(outage.isOn()).isFalse();
        assertThat(pauses(1).get(0)).isLessThanOrEqualTo(Duration.ofMillis(100));
    }

    @Test
    void tellsSinceWhenAndTheLastError() {
        assertThat(outage.report()).isEmpty();
        pauses(1);
        outage.failed(new IllegalStateException("still away"));
        assertThat(outage.report()).hasValueSatisfying(report -> {
            assertThat(report.who()).isEqualTo("Trying");
            assertThat(report.lasts()).isPositive();
            assertThat(report.error()).contains("still away");
        });
        outage.over();
        assertThat(outage.report()).isEmpty();
    }

    @Test
    void tellsOfAnErrorThatTheServerSentWithoutCallingItSilent() {
        ServerErrorMessage full = new ServerErrorMessage("SERROR\0C53100\0Mcould not extend file\0");
        outage.failed(new IllegalStateException(new PSQLException(full)));
        assertThat(outage.report().orElseThrow().toString())
                .startsWith("Trying: the database has failed this node for ")
                .contains("could not extend file");
        outage.failed(new IllegalStateException("away"));
        assertThat(outage.report().orElseThrow().toString()).contains("has not answered this node for ");
    }

    @Test
    void tellsOfACallThatHasNotComeBack() {
        outage.begins();
        assertThat(outage.isOn()).isFalse();
        assertThat(outage.report())
                .hasValueSatisfying(report -> assertThat(report.error()).isEqualTo("no answer yet"));
        outage.over();
        assertThat(outage.report()).isEmpty();
    }

    @Test
    void tellsWhatTheDatabaseSaidWithoutTheStatement() {
        SQLException said = new SQLException("ERROR: function queue.claim() does not exist\n  Position: 15", "42883");
        List<String> lines = logged(() ->
                outage.failed(new BadSqlGrammarException("StatementCallback", "SELECT * FROM queue.claim()", said)));

        String reason = "ERROR: function queue.claim() does not exist";
        assertThat(lines)
                .singleElement()
                .asString()
                .isEqualTo("Trying: the database refuses, will try until it does not: " + reason);
        assertThat(outage.report()).hasValueSatisfying(report -> {
            assertThat(report.error()).isEqualTo(reason);
            assertThat(report).asString().contains("the database has refused this node for 0 s");
        });
    }

    @Test
    void isToldAgainWhenTheDatabaseIsBackAndRefuses() {
        List<String> lines = logged(() -> {
            pauses(3);
            IntStream.range(0, 3)
                    .forEach(i -> outage.failed(new SQLException("ERROR: permission denied for function x", "42501")));
        });

        assertThat(lines)
                .satisfiesExactly(
                        first -> assertThat(first).contains("does not answer"),
                        second -> assertThat(second).contains("refuses", "permission denied for function x"));
    }

    @Test
    void isNotToldIfItIsOverAtOnce() {
        List<String> lines = logged(() -> {
            pauses(2);
            outage.over();
        });

        assertThat(lines).isEmpty();
        assertThat(outage.isOn()).isFalse();
    }

    @Test
    void isToldWhenTwoMoreTriesHaveFailed() {
        assertThat(logged(() -> pauses(3))).singleElement().asString().contains("does not answer");
    }

    @Test
    void isToldAtOnceIfTheCallHasTakenLong() {
        outage.begins();
        long began = System.nanoTime();
        await().until(() -> System.nanoTime() - began > 1_000_000_000);
        assertThat(logged(() -> pauses(1))).singleElement().asString().contains("does not answer");
    }

    @Test
    void tellsARefusalFromAServerThatIsNotThereAndFromNoAnswer() {
        SQLException refused =
                new SQLException("Connection to db:5432 refused", "08001", new ConnectException("Connection refused"));
        assertThat(Outage.describe(new IllegalStateException(refused)))
                .isEqualTo("The database cannot be reached: Connection to db:5432 refused");
        assertThat(Outage.describe(new SQLException("ERROR: permission denied", "42501")))
                .isEqualTo("The database refuses: ERROR: permission denied");
        assertThat(Outage.describe(new SQLException("An I/O error", "08006")))
                .isEqualTo("The database did not answer: An I/O error");
    }

    @Test
    void isToldOnceWhenItBeginsAndOnceWhenItEnds() {
        List<String> lines = logged(() -> {
            pauses(20);
            IntStream.range(0, 5).forEach(i -> outage.over());
        });

        assertThat(lines)
                .satisfiesExactly(
                        first -> assertThat(first).contains("does not answer", "away"),
                        second -> assertThat(second).contains("works again"));
    }

    /** The lines about this outage: other tests may log at the same time. */
    private static List<String> logged(Runnable action) {
        Logger logger = (Logger) LoggerFactory.getLogger(Outage.class);
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        logger.addAppender(lines);
        try {
            action.run();
        } finally {
            logger.detachAppender(lines);
        }
        return lines.list.stream()
                .map(ILoggingEvent::getFormattedMessage)
                .filter(line -> line.startsWith("Trying:"))
                .toList();
    }
}
