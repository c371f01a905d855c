package dev.jobqueue.autoconfigure.forward;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.JobQueueException;
import dev.jobqueue.PermanentJobException;
import dev.jobqueue.autoconfigure.Patience;
import dev.jobqueue.autoconfigure.QueueProperties;
import dev.jobqueue.autoconfigure.forward.broker.Sender;
import dev.jobqueue.autoconfigure.forward.broker.Unsent.Verdict;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class ForwarderTests {

    static final QueueProperties.Forward PROPERTIES = new QueueProperties.Forward(
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

    private static void handle(Forwarder forwarder, JobInHand... jobs) throws InterruptedException {
        forwarder.handle(List.copyOf(Arrays.asList(jobs)));
    }

    @Test
    void settlesEachMessageByItsOwnAnswer() throws Exception {
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
        void sendsNothingBehindTheThirdOfFiveThatIsRefused() throws Exception {
            ScriptedSender sender = sender(text -> text.equals("3") ? Verdict.REFUSED : null);
            JobInHand[] jobs = JobInHand.series("t", "k", "1", "2", "3", "4", "5");
            JobInHand other = JobInHand.ordered("t", "other", "x");
            handle(forwarder(sender), jobs[0], jobs[1], jobs[2], other, jobs[3], jobs[4]);

            assertThat(ends(jobs)).containsExactly("complete", "complete", "fail", "put back", "put back");
            assertThat(other.end()).isEqualTo("complete");
            assertThat(sender.arrived).containsExactlyInAnyOrder("1", "2", "x");
        }

        @Test
        void sendsNothingBehindAFirstOneThatIsRefusedAfterAnOutage() throws Exception {
            AtomicInteger down = new AtomicInteger(2);
            ScriptedSender sender = sender(
                    text -> down.getAndDecrement() > 0 ? Verdict.DOWN : text.equals("1") ? Verdict.REFUSED : null);
            JobInHand[] jobs = JobInHand.series("t", "k", "1", "2", "3");
            handle(forwarder(sender), jobs);

            assertThat(ends(jobs)).containsExactly("fail", "put back", "put back");
            assertThat(sender.arrived).isEmpty();
        }

        @Test
        void sendsNothingBehindAFirstOneThatIsFoundToHurtTheOthers() throws Exception {
            AtomicBoolean first = new AtomicBoolean(true);
            ScriptedSender sender = sender(
                    text -> text.equals("1") ? first.getAndSet(false) ? Verdict.UNCERTAIN : Verdict.REFUSED : null);
            JobInHand[] jobs = JobInHand.series("t", "k", "1", "2", "3");
            handle(forwarder(sender), jobs);

            assertThat(ends(jobs)).containsExactly("fail", "put back", "put back");
            assertThat(sender.arrived).isEmpty();
        }

        @Test
        void sendsNothingBehindAJobThatWasLost() throws Exception {
            ScriptedSender sender = sender(text -> null);
            JobInHand[] jobs = JobInHand.series("t", "k", "1", "2", "3");
            jobs[0].lose();
            handle(forwarder(sender), jobs);

            assertThat(ends(jobs)).containsExactly("lost", "put back", "put back");
            assertThat(sender.arrived).isEmpty();
        }

        @Test
        void goesOnBehindAJobThatWasCancelled() throws Exception {
            ScriptedSender sender = sender(text -> null);
            JobInHand[] jobs = JobInHand.series("t", "k", "1", "2", "3");
            jobs[0].cancel();
            handle(forwarder(sender), jobs);

            assertThat(sender.arrived).containsExactly("2", "3");
        }
    }

    @Nested
    class WhileTheBrokerIsDown {

        @Test
        void keepsMessagesAndTriesWithOneOfEachTopicUntilItIsBack() throws Exception {
            AtomicInteger down = new AtomicInteger(2);
            ScriptedSender sender = sender(text -> down.getAndDecrement() > 0 ? Verdict.DOWN : null);
            JobInHand[] jobs = {JobInHand.unordered("t", "a"), JobInHand.unordered("t", "b")};
            handle(forwarder(sender), jobs);

            assertThat(ends(jobs)).containsExactly("complete", "complete");
            // two in vain: both, or one twice if the first answer came before the other was sent
            assertThat(sender.tries).hasValue(4);
            assertThat(jobs[0].stages).hasSize(1).first().asString().startsWith("waiting for Kafka since ");
            assertThat(jobs[1].stages).isEmpty();
            assertThat(status.outage()).isNull();
        }

        @Test
        void saysNoMoreThanAStageMayHave() throws Exception {
            AtomicInteger down = new AtomicInteger(1);
            JobInHand job = JobInHand.unordered("t", "a");
            ScriptedSender sender = sender(text -> down.getAndDecrement() > 0 ? Verdict.DOWN : null);
            sender.reason = "x".repeat(500);
            handle(forwarder(sender), job);

            assertThat(job.stages.get(0)).hasSize(200);
        }

        @Test
        void keepsAFewAndGivesBackTheOthersAfterThreeTries() throws Exception {
            AtomicBoolean down = new AtomicBoolean(true);
            Forwarder forwarder = forwarder(sender(text -> down.get() ? Verdict.DOWN : null));
            JobInHand[] jobs = IntStream.range(0, 50)
                    .mapToObj(i -> JobInHand.unordered("t" + i % 10, String.valueOf(i)))
                    .toArray(JobInHand[]::new);
            Thread thread = JobInHand.handling(forwarder, jobs);
            Patience.await().until(() -> status.held() == 5);
            assertThat(ends(jobs)).filteredOn("open"::equals).hasSize(5);
            down.set(false);
            thread.join();

            assertThat(ends(jobs)).containsOnly("complete", "put back").startsWith("complete");
            assertThat(status.outage()).isNull();
        }

        @Test
        void saysSinceWhenAndPutsBackWhatItHasWhenTheApplicationStops() throws Exception {
            Forwarder forwarder = forwarder(sender(text -> Verdict.DOWN));
            JobInHand[] jobs = {JobInHand.unordered("t", "a"), JobInHand.ordered("t2", "k", "b")};
            Thread thread = JobInHand.handling(forwarder, jobs);
            Patience.await().until(() -> status.outage() != null && status.held() == 2);
            ForwardStatus.Outage first = status.outage();
            forwarder.stop();
            thread.join();

            assertThat(ends(jobs)).containsExactly("put back", "put back");
            assertThat(first.reason()).isEqualTo("DOWN it is");
        }

        @Test
        void keepsTheOrderOfALane() throws Exception {
            AtomicInteger down = new AtomicInteger(4);
            ScriptedSender sender =
                    sender(text -> text.equals("2") && down.getAndDecrement() > 0 ? Verdict.DOWN : null);
            JobInHand[] jobs = JobInHand.series("t", "k", "1", "2", "3");
            handle(forwarder(sender), jobs);

            assertThat(ends(jobs)).containsExactly("complete", "complete", "put back");
            assertThat(sender.arrived).containsExactly("1", "2");
        }

        @Test
        void isOverWhenTheBrokerRefusesAMessage() throws Exception {
            AtomicInteger down = new AtomicInteger(1);
            handle(
                    forwarder(sender(text -> down.getAndDecrement() > 0 ? Verdict.DOWN : Verdict.REFUSED)),
                    JobInHand.unordered("t", "a"));

            assertThat(status.outage()).isNull();
        }

        @Test
        void isNotKnownAnyMoreWhenNothingIsInHand() throws Exception {
            Forwarder forwarder = forwarder(sender(text -> Verdict.DOWN));
            JobInHand job = JobInHand.unordered("t", "a");
            Thread thread = JobInHand.handling(forwarder, job);
            Patience.await().until(() -> status.outage() != null);
            job.lose();
            thread.join();

            assertThat(status.outage()).isNull();
        }
    }

    @Nested
    class WhenATopicIsStuck {

        @Test
        void snoozesItsMessagesAndSendsTheOthers() throws Exception {
            AtomicBoolean stuck = new AtomicBoolean(true);
            ScriptedSender sender = sender(text -> text.startsWith("s") && stuck.get() ? Verdict.STUCK : null);
            Forwarder forwarder = forwarder(sender);
            JobInHand[] jobs = {
                JobInHand.unordered("stuck", "s1"), JobInHand.unordered("t", "a"), JobInHand.unordered("stuck", "s2")
            };
            handle(forwarder, jobs);

            assertThat(ends(jobs)).containsExactly("snoozed", "complete", "snoozed");
            assertThat(status.outage()).isNull();
            assertThat(status.stuck()).containsOnlyKeys("stuck");
            assertThat(status.stuck().get("stuck").reason()).isEqualTo("STUCK it is");

            stuck.set(false);
            Patience.await().untilAsserted(() -> {
                jobs[0].comeAgain();
                handle(forwarder, jobs[0]);
                assertThat(jobs[0].end()).isEqualTo("complete");
            });
            assertThat(status.stuck()).isEmpty();
        }

        @Test
        void triesWithOneOfItsMessages() throws Exception {
            ScriptedSender sender = sender(text -> Verdict.STUCK);
            sender.there = true;
            Forwarder forwarder = forwarder(sender);
            JobInHand[] jobs = IntStream.range(0, 20)
                    .mapToObj(i -> JobInHand.unordered("stuck", String.valueOf(i)))
                    .toArray(JobInHand[]::new);
            // all, then one after the reset, which tells the topic from the broker
            handle(forwarder, jobs);
            assertThat(sender.tries).hasValue(21);
            assertThat(ends(jobs)).containsOnly("snoozed");
            assertThat(status.stuck()).containsOnlyKeys("stuck");

            Patience.await().until(() -> {
                Arrays.stream(jobs).forEach(JobInHand::comeAgain);
                handle(forwarder, jobs);
                return sender.tries.get() > 21;
            });
            assertThat(sender.tries).hasValue(22);
        }

        @Test
        void takesItForTheBrokerIfThatDoesNotGreetEither() throws Exception {
            AtomicInteger tries = new AtomicInteger();
            ScriptedSender sender = sender(text -> switch (tries.getAndIncrement()) {
                case 0 -> Verdict.STUCK;
                case 1 -> Verdict.DOWN;
                default -> null;
            });
            JobInHand job = JobInHand.unordered("t", "a");
            handle(forwarder(sender), job);

            assertThat(job.end()).isEqualTo("complete");
            assertThat(job.stages).hasSize(1);
            assertThat(status.stuck()).isEmpty();
        }
    }

    @Test
    void sendsOneBundleAfterTheOther() throws Exception {
        AtomicBoolean down = new AtomicBoolean(true);
        ScriptedSender sender = sender(text -> down.get() ? Verdict.DOWN : null);
        Forwarder forwarder = forwarder(sender);
        Thread first = JobInHand.handling(forwarder, JobInHand.unordered("t", "a"));
        Patience.await().until(() -> status.outage() != null);
        Thread second = JobInHand.handling(forwarder, JobInHand.unordered("t", "b"));
        Patience.await().until(() -> second.getState() == Thread.State.WAITING);
        down.set(false);
        first.join();
        second.join();

        assertThat(sender.arrived).containsExactly("a", "b");
    }

    @Test
    void looksForTheOneThatHurtsTheOthersOneByOne() throws Exception {
        AtomicInteger sent = new AtomicInteger();
        // how many of the others are under way with the first one depends on when its answer comes
        ScriptedSender sender = sender(
                text -> sent.incrementAndGet() == 1 ? Verdict.UNCERTAIN : text.equals("c") ? Verdict.REFUSED : null);
        JobInHand[] jobs = {
            JobInHand.unordered("t", "a"),
            JobInHand.unordered("t", "b"),
            JobInHand.unordered("t", "c"),
            JobInHand.unordered("t", "d")
        };
        handle(forwarder(sender), jobs);

        assertThat(ends(jobs)).containsExactly("complete", "complete", "fail", "complete");
        assertThat(sender.arrived).containsExactlyInAnyOrder("a", "b", "d");
    }

    @Test
    void failsTheOneAloneThatEndsInAnErrorWhenItIsRead() throws Exception {
        Error error = new StackOverflowError();
        JobInHand[] jobs = {JobInHand.unordered("t", "a").hurting(error), JobInHand.unordered("t", "b")};
        handle(forwarder(sender(text -> null)), jobs);

        assertThat(ends(jobs)).containsExactly("fail", "complete");
        assertThat(jobs[0].error()).isSameAs(error);
    }

    @Test
    void refusesPayloadsThatAreNoMessages() throws Exception {
        JobInHand[] jobs = {
            new JobInHand("[1]"),
            new JobInHand("{}"),
            new JobInHand("{\"topic\": {}}"),
            new JobInHand("{\"topic\": \"t\", \"base64\": \"?\"}"),
            new JobInHand("{\"topic\": \"t\", \"headers\": {\"a\": {}}}"),
            new JobInHand("{\"topic\": \"t\", \"headers\": [1]}"),
            JobInHand.unordered("t", "foreign").inQueue("mail"),
            JobInHand.unordered("t", "well")
        };
        handle(forwarder(sender(text -> null)), jobs);

        assertThat(ends(jobs)).containsOnly("fail", "complete").endsWith("complete");
        assertThat(Arrays.stream(jobs).limit(7).map(job -> job.error().getMessage()))
                .satisfiesExactly(
                        error -> assertThat(error).endsWith("it is no object"),
                        error -> assertThat(error).endsWith("it has no 'topic'"),
                        error -> assertThat(error).endsWith("it has a 'topic' that is no text"),
                        error -> assertThat(error).contains("it has a 'base64' that is none"),
                        error -> assertThat(error).endsWith("it has a 'a' that is no text"),
                        error -> assertThat(error).endsWith("it has 'headers' that are no object"),
                        error -> assertThat(error).contains("must be in the queue 'forward.kafka'"));
        assertThat(jobs[0].error()).isInstanceOf(PermanentJobException.class);
    }
}
