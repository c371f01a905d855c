package dev.jobqueue.autoconfigure.forward;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.autoconfigure.Patience;
import dev.jobqueue.autoconfigure.QueueProperties;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** RabbitMQ's client has no timeout for a message: no answer at all may come. */
@Timeout(60)
class SilentBrokerTests {

    private static final QueueProperties.Forward PROPERTIES = ForwarderTests.PROPERTIES;

    private final ForwardStatus status = new ForwardStatus("Kafka", "forward.kafka");
    private final ScriptedSender sender = new ScriptedSender(text -> null);
    private final Forwarder forwarder = new Forwarder(
            sender, new MessageReader(MessageReader.Format.KAFKA, PROPERTIES, "shop"), status, PROPERTIES);

    @BeforeEach
    void sayNothing() {
        sender.patience = Duration.ofMillis(300);
        sender.silent = text -> text.startsWith("s");
    }

    @AfterEach
    void close() {
        forwarder.close();
    }

    @Test
    void holdsUpItsStuckPlacesOnlyWhenItGreets() throws Exception {
        sender.there = true;
        JobInHand[] jobs = {JobInHand.unordered("stuck", "s1"), JobInHand.unordered("stuck too", "s2")};
        Thread thread = JobInHand.handling(forwarder, jobs);
        Patience.await().until(() -> !thread.isAlive());

        assertThat(jobs).extracting(JobInHand::end).containsOnly("snoozed");
        assertThat(status.stuck()).containsOnlyKeys("stuck", "stuck too");
        assertThat(status.stuck().get("stuck").reason()).isEqualTo("no answer within 300ms");
        assertThat(status.outage()).isNull();
        JobInHand other = JobInHand.unordered("t", "a");
        JobInHand.handling(forwarder, other).join();
        assertThat(other.end()).isEqualTo("complete");
    }

    /** Kafka's client may call back for a message for which it has thrown an exception. */
    @Test
    void isWaitedForWhenItHasAnsweredTwiceForAnother() throws Exception {
        sender.there = true;
        sender.answersEach = 2;
        JobInHand[] jobs = {JobInHand.unordered("t", "a"), JobInHand.unordered("stuck", "s")};
        JobInHand.handling(forwarder, jobs).join();

        assertThat(jobs).extracting(JobInHand::end).containsExactly("complete", "snoozed");
        assertThat(sender.tries).hasValue(2);
    }

    @Test
    void isDownWhenItDoesNotGreetEither() throws Exception {
        JobInHand job = JobInHand.unordered("t", "s");
        Thread thread = JobInHand.handling(forwarder, job);
        Patience.await().until(() -> status.outage() != null);
        assertThat(status.outage().reason()).isEqualTo("no answer within 300ms");
        forwarder.stop();
        thread.join();

        assertThat(job.end()).isEqualTo("put back");
        assertThat(status.stuck()).isEmpty();
    }
}
