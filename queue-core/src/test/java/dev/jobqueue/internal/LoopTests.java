package dev.jobqueue.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobqueue.internal.Loop.State;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LoopTests {

    private static final Duration SHORT = Duration.ofMillis(50);

    private final AtomicInteger rounds = new AtomicInteger();
    private final CountDownLatch released = new CountDownLatch(1);
    private @Nullable Loop loop;

    @AfterEach
    void end() throws InterruptedException {
        released.countDown();
        if (loop != null) {
            loop.end();
            loop.join(Duration.ofSeconds(10));
        }
    }

    @Test
    void goesOnAfterAnError() {
        Loop started = start(() -> {
            if (rounds.incrementAndGet() == 1) {
                throw new OutOfMemoryError("on purpose");
            }
            loop().park(Long.MAX_VALUE);
        });
        await().until(() -> rounds.get() > 1);
        assertThat(started.failures()).isEqualTo(1);
        assertThat(started.lastFailure()).isEqualTo("java.lang.OutOfMemoryError");
        assertThat(started.trouble()).isNull();
    }

    @Test
    void goesOnAfterAnErrorThatCannotBeLogged() {
        start(() -> {
            if (rounds.incrementAndGet() == 1) {
                throw new Unloggable();
            }
            loop().park(Long.MAX_VALUE);
        });
        await().until(() -> rounds.get() > 1);
    }

    @Test
    void goesOnAfterAnInterruptThatNobodyAskedFor() {
        Loop started = start(() -> {
            rounds.incrementAndGet();
            released.await();
        });
        await().until(() -> rounds.get() == 1);
        started.interrupt();
        await().until(() -> rounds.get() > 1);
    }

    /** As a pool does while it has no connection. */
    @Test
    void isWokenEvenIfItsWorkParksMeanwhile() {
        start(() -> {
            if (rounds.incrementAndGet() == 1) {
                loop().wake();
                LockSupport.parkNanos(Duration.ofSeconds(1).toNanos());
            }
            loop().park(Long.MAX_VALUE);
        });
        await().until(() -> rounds.get() > 1);
    }

    @Test
    void isWokenEvenIfItPausesMeanwhile() {
        start(() -> {
            if (rounds.incrementAndGet() == 1) {
                loop().wake();
                loop().pause(SHORT);
            }
            loop().park(Long.MAX_VALUE);
        });
        await().until(() -> rounds.get() > 1);
    }

    @Test
    void waitsAgainAfterItWasWoken() {
        Loop started = start(() -> {
            rounds.incrementAndGet();
            loop().park(Long.MAX_VALUE);
        });
        await().until(() -> started.state() == State.WAITING);
        int before = rounds.get();
        started.wake();
        await().until(() -> rounds.get() > before && started.state() == State.WAITING);
        assertThat(rounds.get() - before).isLessThanOrEqualTo(2);
    }

    @Test
    void isStuckInACallThatDoesNotComeBack() {
        Loop started = start(released::await);
        await().until(() -> started.state() == State.STUCK);
        assertThat(started.trouble()).startsWith("has not come back from one call for ");
        released.countDown();
        await().until(() -> started.state() != State.STUCK);
    }

    @Test
    void isNotStuckWhileItWaits() {
        Loop started = start(() -> loop().park(Long.MAX_VALUE));
        await().until(() -> started.state() == State.WAITING);
        await().pollDelay(SHORT.multipliedBy(3)).until(() -> started.trouble() == null);
    }

    @Test
    void isOffBeforeItStartsAndAfterItEnds() throws InterruptedException {
        loop = Loop.daemon("loop", SHORT, () -> loop().park(Long.MAX_VALUE));
        assertThat(loop.state()).isEqualTo(State.OFF);
        loop.start();
        loop.end();
        loop.join();
        assertThat(loop.state()).isEqualTo(State.OFF);
        assertThat(loop.trouble()).isNull();
    }

    private Loop start(Loop.Round round) {
        Loop started = Loop.daemon("loop", SHORT, round);
        loop = started;
        started.start();
        return started;
    }

    private Loop loop() {
        return Objects.requireNonNull(loop);
    }

    private static final class Unloggable extends Error {

        private static final long serialVersionUID = 1L;

        @Override
        public String toString() {
            throw new OutOfMemoryError("on purpose");
        }

        @Override
        public String getMessage() {
            throw new OutOfMemoryError("on purpose");
        }
    }
}
