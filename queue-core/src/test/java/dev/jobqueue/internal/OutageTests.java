package dev.jobqueue.internal;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

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
    void tellsOfACallThatHasNotComeBack() {
        outage.begins();
        assertThat(outage.isOn()).isFalse();
        assertThat(outage.report())
                .hasValueSatisfying(report -> assertThat(report.error()).isEqualTo("no answer yet"));
        outage.over();
        assertThat(outage.report()).isEmpty();
    }

    @Test
    void isToldOnceWhenItBeginsAndOnceWhenItEnds() {
        Logger logger = (Logger) LoggerFactory.getLogger(Outage.class);
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        logger.addAppender(lines);
        try {
            pauses(20);
            IntStream.range(0, 5).forEach(i -> outage.over());
        } finally {
            logger.detachAppender(lines);
        }
        assertThat(lines.list)
                .extracting(ILoggingEvent::getFormattedMessage)
                .filteredOn(line -> line.startsWith("Trying:"))
                .satisfiesExactly(
                        first -> assertThat(first).contains("does not answer", "away"),
                        second -> assertThat(second).contains("answers again"));
    }
}
