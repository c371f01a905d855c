package dev.jobqueue.dashboard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RecentAnswersTests {

    private final RecentAnswers answers = new RecentAnswers(Duration.ofMinutes(1));
    private final AtomicInteger calls = new AtomicInteger();

    private byte[] ask(String question) {
        return answers.get(question, Duration.ZERO, () -> new byte[] {(byte) calls.incrementAndGet()});
    }

    @Test
    void answerTheSameQuestionOnce() {
        assertThat(ask("a")).containsExactly(1);
        assertThat(ask("a")).containsExactly(1);
        assertThat(ask("b")).containsExactly(2);
        answers.forget();
        assertThat(ask("a")).containsExactly(3);
    }

    @Test
    void areForgottenAfterAMoment() {
        RecentAnswers brief = new RecentAnswers(Duration.ZERO);
        await().until(() -> {
            brief.get("a", Duration.ZERO, this::next);
            return calls.get() == 2;
        });
    }

    @Test
    void areKeptLongerForThoseWhoAskAgainAndAgain() {
        RecentAnswers brief = new RecentAnswers(Duration.ZERO);
        brief.get("a", Duration.ZERO, this::next);
        long begin = System.nanoTime();
        await().until(() -> System.nanoTime() - begin > Duration.ofMillis(200).toNanos());
        brief.get("a", Duration.ofMinutes(1), this::next);
        assertThat(calls).hasValue(1);
    }

    /** An answer that takes a twentieth of the time. */
    @Test
    void areKeptLongerIfTheyTookLong() {
        assertThat(RecentAnswers.pauseAfter(10, 1)).isEqualTo(200);
        assertThat(RecentAnswers.pauseAfter(10, 1_000)).isEqualTo(1_000);
        assertThat(Duration.ofNanos(
                        RecentAnswers.pauseAfter(Duration.ofMinutes(1).toNanos(), 1)))
                .isEqualTo(Duration.ofSeconds(4));
    }

    private byte[] next() {
        return new byte[] {(byte) calls.incrementAndGet()};
    }

    @Test
    void letAllWhoAskMeanwhileWaitForOneAnswer() throws Exception {
        CountDownLatch entered = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        ExecutorService threads = Executors.newFixedThreadPool(20);
        try {
            List<CompletableFuture<byte[]>> asked = IntStream.range(0, 20)
                    .mapToObj(i -> CompletableFuture.supplyAsync(
                            () -> answers.get("slow", Duration.ZERO, () -> {
                                entered.countDown();
                                waitFor(go);
                                return new byte[] {(byte) calls.incrementAndGet()};
                            }),
                            threads))
                    .toList();
            entered.await();
            go.countDown();
            for (CompletableFuture<byte[]> each : asked) {
                assertThat(each.get()).containsExactly(1);
            }
        } finally {
            threads.shutdown();
        }
    }

    private static void waitFor(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void areNotErrors() {
        assertThatThrownBy(() -> answers.get("a", Duration.ZERO, () -> {
                    throw new IllegalStateException("no");
                }))
                .hasMessage("no");
        assertThat(ask("a")).containsExactly(1);
    }

    /** Or everybody who asks the same later would wait for ever, each with a thread of the web server. */
    @Test
    void areNotAwaitedFromSomebodyWhoDied() {
        assertThatThrownBy(() -> answers.get("a", Duration.ZERO, () -> {
                    throw new LinkageError("on purpose");
                }))
                .isInstanceOf(LinkageError.class);
        assertThat(CompletableFuture.supplyAsync(() -> ask("a")).orTimeout(30, TimeUnit.SECONDS))
                .succeedsWithin(Duration.ofSeconds(30))
                .isEqualTo(new byte[] {1});
    }
}
