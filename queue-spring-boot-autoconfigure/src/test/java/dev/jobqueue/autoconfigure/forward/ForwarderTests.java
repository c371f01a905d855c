package dev.jobqueue.autoconfigure.forward;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.JobQueueException;
import dev.jobqueue.PermanentJobException;
import dev.jobqueue.autoconfigure.Patience;
import dev.jobqueue.autoconfigure.QueueProperties;
import dev.jobqueue.autoconfigure.forward.Sender.Verdict;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class ForwarderTests {

    private static final QueueProperties.Forward PROPERTIES = new QueueProperties.Forward(
            new QueueProperties.Broker(true),
            new QueueProperties.Broker(true),
            Duration.ofSeconds(20),
            Duration.ofMillis(10),
            Duration.ofMillis(40),
            false,
            null,
            List.of("traceparent"),
            null);

    private final ForwardStatus status = new ForwardStatus("Kafka", "forward.kafka");
    private final List<AutoCloseable> opened = new ArrayList<>();

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable each : opened) {
            each.close();
        }
    }

    private Forwarder forwarder(Sender sender) {
        Forwarder forwarder = new Forwarder(
                sender, new MessageReader(MessageReader.Format.KAFKA, PROPERTIES, "shop"), status, PROPERTIES);
        opened.add(forwarder);
        return forwarder;
    }

    private static ScriptedSender sender(Function<String, @Nullable Verdict> script) {
        return new ScriptedSender(script);
    }

    private static List<String> ends(JobInHand... jobs) {
        return Arrays.stream(jobs).map(JobInHand::end).toList();
    }

    private static void handle(Forwarder forwarder, JobInHand... jobs) {
        forwarder.handle(List.copyOf(Arrays.asList(jobs)));
    }

    @Test
    void settlesEachMessageByItsOwnAnswer() {
        ScriptedSender sender = sender(text -> switch (text) {
            case "b" -> Verdict.REFUSED;
            case "c" -> Verdict.FAILED;
            default -> null;
        });
        JobInHand[] jobs = {
            JobInHand.unordered("t", "a"),
            JobInHand.unordered("t", "b"),
            JobInHand.unordered("t", "c"),
            JobInHand.unordered("t", "d")
        };
        handle(forwarder(sender), jobs);

        assertThat(ends(jobs)).containsExactly("complete", "fail", "fail", "complete");
        assertThat(jobs[1].error()).isInstanceOf(PermanentJobException.class).hasMessage("Kafka: REFUSED it is");
        assertThat(jobs[2].error()).isInstanceOf(JobQueueException.class).hasMessage("Kafka: FAILED it is");
        assertThat(status.sent()).isEqualTo(2);
        assertThat(status.refused()).isEqualTo(2);
    }

    @Nested
    class InALane {

        @Test
        void sendsNothingBehindTheThirdOfFiveThatIsRefused() {
            ScriptedSender sender = sender(text -> text.equals("3") ? Verdict.REFUSED : null);
            JobInHand[] jobs = lane("1", "2", "3", "4", "5");
            JobInHand other = JobInHand.ordered("t", "other", "x");
            handle(forwarder(sender), jobs[0], jobs[1], jobs[2], other, jobs[3], jobs[4]);

            assertThat(ends(jobs)).containsExactly("complete", "complete", "fail", "put back", "put back");
            assertThat(other.end()).isEqualTo("complete");
            assertThat(sender.arrived).containsExactlyInAnyOrder("1", "2", "x");
        }

        @Test
        void putsBackTheRestOfABrokenRunThatComesWithTheNextBatch() {
            AtomicBoolean refuses = new AtomicBoolean(true);
            ScriptedSender sender = sender(text -> text.equals("2") && refuses.get() ? Verdict.FAILED : null);
            Forwarder forwarder = forwarder(sender);
            JobInHand[] jobs = lane("1", "2", "3", "4", "5");
            handle(forwarder, jobs[0], jobs[1], jobs[2]);
            handle(forwarder, jobs[3], jobs[4]);

            assertThat(ends(jobs)).containsExactly("complete", "fail", "put back", "put back", "put back");

            refuses.set(false);
            List.of(jobs).subList(1, 5).forEach(JobInHand::comeAgain);
            handle(forwarder, jobs[1], jobs[2], jobs[3], jobs[4]);

            assertThat(sender.arrived).containsExactly("1", "2", "3", "4", "5");
        }

        @Test
        void goesOnWithoutOneThatDiedWhenTheOthersComeAgain() {
            ScriptedSender sender = sender(text -> text.equals("1") ? Verdict.REFUSED : null);
            Forwarder forwarder = forwarder(sender);
            JobInHand[] jobs = lane("1", "2", "3");
            handle(forwarder, jobs[0]);
            handle(forwarder, jobs[1], jobs[2]);
            assertThat(ends(jobs)).containsExactly("fail", "put back", "put back");

            jobs[1].comeAgain();
            jobs[2].comeAgain();
            handle(forwarder, jobs[1], jobs[2]);

            assertThat(sender.arrived).containsExactly("2", "3");
        }

        @Test
        void sendsNothingBehindAJobThatWasLost() {
            ScriptedSender sender = sender(text -> null);
            JobInHand[] jobs = lane("1", "2", "3");
            jobs[0].lose();
            handle(forwarder(sender), jobs);

            assertThat(ends(jobs)).containsExactly("lost", "put back", "put back");
            assertThat(sender.arrived).isEmpty();
        }

        private JobInHand[] lane(String... texts) {
            return Arrays.stream(texts)
                    .map(text -> JobInHand.ordered("t", "k", text))
                    .toArray(JobInHand[]::new);
        }
    }

    @Nested
    class WhileTheBrokerIsAway {

        @Test
        void keepsMessagesAndTriesWithOneUntilItIsBack() {
            AtomicInteger away = new AtomicInteger(3);
            ScriptedSender sender = sender(text -> away.getAndDecrement() > 0 ? Verdict.DOWN : null);
            JobInHand[] jobs = {JobInHand.unordered("t", "a"), JobInHand.unordered("t", "b")};
            handle(forwarder(sender), jobs);

            assertThat(ends(jobs)).containsExactly("complete", "complete");
            // both, then one twice: the answer for it was the third and the fourth
            assertThat(sender.tries).hasValue(5);
            assertThat(jobs[0].stages).hasSize(1).first().asString().startsWith("waiting for Kafka since ");
            assertThat(status.outage()).isNull();
        }

        @Test
        void saysSinceWhenAndPutsBackWhatItHasWhenTheApplicationStops() throws Exception {
            Forwarder forwarder = forwarder(sender(text -> Verdict.DOWN));
            JobInHand[] jobs = {JobInHand.unordered("t", "a"), JobInHand.ordered("t", "k", "b")};
            Thread thread = new Thread(() -> handle(forwarder, jobs));
            thread.start();
            Patience.await().until(() -> status.outage() != null && status.held() == 2);
            ForwardStatus.Outage first = status.outage();
            forwarder.stop();
            thread.join();

            assertThat(ends(jobs)).containsExactly("put back", "put back");
            assertThat(first.reason()).isEqualTo("DOWN it is");
        }

        @Test
        void keepsTheOrderOfALane() {
            AtomicInteger away = new AtomicInteger(4);
            ScriptedSender sender =
                    sender(text -> text.equals("2") && away.getAndDecrement() > 0 ? Verdict.DOWN : null);
            JobInHand[] jobs = {
                JobInHand.ordered("t", "k", "1"), JobInHand.ordered("t", "k", "2"), JobInHand.ordered("t", "k", "3")
            };
            handle(forwarder(sender), jobs);

            assertThat(sender.arrived).containsExactly("1", "2", "3");
        }

        @Test
        void letsGoOfJobsThatAreLost() throws Exception {
            Forwarder forwarder = forwarder(sender(text -> Verdict.DOWN));
            JobInHand job = JobInHand.unordered("t", "a");
            Thread thread = new Thread(() -> handle(forwarder, job));
            thread.start();
            Patience.await().until(() -> status.outage() != null);
            job.lose();
            thread.join(Duration.ofSeconds(30).toMillis());

            assertThat(thread.isAlive()).isFalse();
        }
    }

    @Test
    void looksForTheOneThatHurtsTheOthersOneByOne() {
        AtomicInteger under = new AtomicInteger();
        ScriptedSender sender = sender(text -> {
            if (under.incrementAndGet() <= 4) {
                return Verdict.UNCERTAIN;
            }
            return text.equals("c") ? Verdict.REFUSED : null;
        });
        JobInHand[] jobs = {
            JobInHand.unordered("t", "a"),
            JobInHand.unordered("t", "b"),
            JobInHand.unordered("t", "c"),
            JobInHand.unordered("t", "d")
        };
        handle(forwarder(sender), jobs);

        assertThat(ends(jobs)).containsExactly("complete", "complete", "fail", "complete");
        assertThat(sender.arrived).containsExactly("a", "b", "d");
    }

    @Test
    void refusesPayloadsThatAreNoMessages() {
        JobInHand[] jobs = {
            new JobInHand("[1]"),
            new JobInHand("{}"),
            new JobInHand("{\"topic\": {}}"),
            new JobInHand("{\"topic\": \"t\", \"base64\": \"?\"}")
        };
        handle(forwarder(sender(text -> null)), jobs);

        assertThat(ends(jobs)).containsOnly("fail");
        assertThat(Arrays.stream(jobs).map(job -> job.error().getMessage()))
                .satisfiesExactly(
                        error -> assertThat(error).endsWith("it is no object"),
                        error -> assertThat(error).endsWith("it has no 'topic'"),
                        error -> assertThat(error).endsWith("it has a 'topic' that is no text"),
                        error -> assertThat(error).contains("it has a 'base64' that is none"));
        assertThat(jobs[0].error()).isInstanceOf(PermanentJobException.class);
    }
}
