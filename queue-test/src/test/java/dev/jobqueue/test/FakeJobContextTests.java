package dev.jobqueue.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobqueue.InvalidJobException;
import dev.jobqueue.Job;
import dev.jobqueue.LeaseLostException;
import dev.jobqueue.PermanentJobException;
import dev.jobqueue.test.FakeJobContext.Progress;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.springframework.core.ParameterizedTypeReference;

class FakeJobContextTests {

    private final FakeJobContext job = new FakeJobContext().type("invoice.send").header("tenant", "a");

    @Test
    void runsAStepOnceForAllAttempts() throws Exception {
        AtomicInteger calls = new AtomicInteger();
        assertThat(job.step("count", Integer.class, calls::incrementAndGet)).isEqualTo(1);
        assertThat(job.nextAttempt().step("count", Integer.class, calls::incrementAndGet))
                .isEqualTo(1);
        assertThat(job.step("list", new ParameterizedTypeReference<List<Long>>() {}, () -> List.of(1L)))
                .containsExactly(1L);
        assertThat(job.steps()).containsEntry("count", "1").containsEntry("list", "[1]");
        assertThat(job.attempt()).isEqualTo(2);
    }

    @Test
    void remembersWhatTheHandlerTold() {
        job.progress(50, "mailing");
        job.log("sent");
        job.snooze(Duration.ofMinutes(5));
        job.extend(Duration.ofMinutes(1));
        job.publish(Job.of("order.shipped", 1));
        assertThat(job.progress()).containsExactly(new Progress(50, "mailing"));
        assertThat(job.logs()).containsExactly("sent");
        assertThat(job.snoozed()).isEqualTo(Duration.ofMinutes(5));
        assertThat(job.extended()).isEqualTo(Duration.ofMinutes(1));
        assertThat(job.published()).extracting(Job::type).containsExactly("order.shipped");
        assertThat(job.headers()).containsEntry("tenant", "a");
    }

    @Test
    void keepsStepsInTheirOrder() throws Exception {
        List<String> names = List.of("one", "two", "three", "four", "five", "six", "seven");
        for (String name : names) {
            job.step(name, String.class, () -> name);
        }
        assertThat(job.steps().keySet()).containsExactlyElementsOf(names);
    }

    @Test
    void mayBeOfASchedule() {
        Instant time = Instant.parse("2027-03-28T01:00:00Z");
        assertThat(job.schedule("nightly", time).scheduledFor()).isEqualTo(time);
        assertThat(job.scheduleName()).isEqualTo("nightly");
    }

    @Test
    void takesSpansAsLongAsTheQueueDoes() {
        Duration longest = Duration.ofDays(3_650);
        Duration longer = longest.plusMillis(1);
        Job.of("mail", null).delay(longest);
        job.snooze(longest);
        assertThatThrownBy(() -> Job.of("mail", null).delay(longer)).isInstanceOf(InvalidJobException.class);
        assertThatThrownBy(() -> job.snooze(longer)).isInstanceOf(InvalidJobException.class);
    }

    @Test
    void refusesWhatTheQueueWouldRefuse() throws Exception {
        job.step("text", String.class, () -> "no number");
        assertThatThrownBy(() -> job.step("text", Integer.class, () -> 1))
                .isInstanceOf(PermanentJobException.class)
                .hasMessageStartingWith("The result of step 'text' cannot be read as 'java.lang.Integer'");
        assertThatThrownBy(() -> job.extend(Duration.ZERO)).isInstanceOf(InvalidJobException.class);
        assertThatThrownBy(() -> job.progress(101, null)).isInstanceOf(InvalidJobException.class);
        job.loseLease();
        assertThat(job.isCancelled()).isTrue();
        assertThatThrownBy(() -> job.log("late")).isInstanceOf(LeaseLostException.class);
        assertThatThrownBy(() -> job.step("late", String.class, () -> "")).isInstanceOf(LeaseLostException.class);
    }
}
