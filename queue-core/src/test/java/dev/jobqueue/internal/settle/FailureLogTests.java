package dev.jobqueue.internal.settle;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.jobqueue.internal.handle.ClaimedJob;
import dev.jobqueue.internal.handle.ClaimedJobs;
import dev.jobqueue.internal.handle.RunningJob;
import dev.jobqueue.internal.settle.FailureLog.Detail;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class FailureLogTests {

    private static final Instant NEXT = Instant.parse("2026-11-18T12:00:00Z");
    private static final UUID ID = UUID.randomUUID();

    private final Logger logger = (Logger) LoggerFactory.getLogger("dev.jobqueue.failures");
    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
    private final AtomicLong clock = new AtomicLong();
    private final FailureLog failures = new FailureLog(Detail.LINE, clock::get);

    @BeforeEach
    void listen() {
        logger.setLevel(Level.INFO);
        lines.start();
        logger.addAppender(lines);
    }

    @AfterEach
    void stop() {
        logger.detachAppender(lines);
        logger.setLevel(null);
    }

    private void threw(FailureLog log, String type, boolean retry, @Nullable Instant next) {
        ClaimedJob job = ClaimedJobs.secondAttempt(ID, type);
        log.threw(new Outcome.Threw(new RunningJob(job, false, null), "java.lang.Error: no\n\tat a.B", retry), next);
    }

    private List<String> logged(Level level) {
        return lines.list.stream()
                .filter(line -> line.getLevel() == level)
                .map(ILoggingEvent::getFormattedMessage)
                .toList();
    }

    @Test
    void warnsOfAnAttemptWithTheFirstLineOfItsErrorAndTheNextTry() {
        threw(failures, "mail", true, NEXT);
        assertThat(logged(Level.WARN))
                .containsExactly("Attempt 2 of 3 of job " + ID
                        + " ('mail') threw, next try at 2026-11-18T12:00:00Z: java.lang.Error: no");
        assertThat(lines.list.get(0).getMDCPropertyMap()).containsEntry("jobId", ID.toString());
    }

    @Test
    void callsADeadJobAnError() {
        threw(failures, "mail", false, null);
        assertThat(logged(Level.ERROR))
                .containsExactly("Job " + ID
                        + " ('mail') is dead, attempt 2 of 3 threw and wants no other: java.lang.Error: no");
    }

    @Test
    void hasTheStackTraceAtLevelDebugOrWhereItIsWanted() {
        threw(new FailureLog(Detail.STACK_TRACE, clock::get), "mail", true, NEXT);
        logger.setLevel(Level.DEBUG);
        threw(failures, "mail", true, NEXT);
        assertThat(logged(Level.WARN)).hasSize(2).allMatch(line -> line.endsWith("java.lang.Error: no\n\tat a.B"));
    }

    @Test
    void saysNothingWhereNobodyWantsToKnow() {
        threw(new FailureLog(Detail.NONE, clock::get), "mail", true, NEXT);
        assertThat(lines.list).isEmpty();
    }

    @Test
    void logsTenAMinuteOfATypeAndThenHowManyWereLeftOut() {
        IntStream.range(0, 25).forEach(i -> threw(failures, "mail", true, NEXT));
        threw(failures, "other", true, NEXT);
        failures.tellLeftOut();
        assertThat(logged(Level.WARN)).hasSize(11);

        clock.addAndGet(TimeUnit.SECONDS.toNanos(61));
        failures.tellLeftOut();
        assertThat(logged(Level.WARN))
                .hasSize(12)
                .last()
                .isEqualTo("Not logged: 15 attempts of type 'mail' that threw within a minute");
        threw(failures, "mail", true, NEXT);
        assertThat(logged(Level.WARN)).hasSize(13);
    }
}
