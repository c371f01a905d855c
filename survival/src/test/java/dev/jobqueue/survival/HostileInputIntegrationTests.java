package dev.jobqueue.survival;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobqueue.InvalidJobException;
import dev.jobqueue.Job;
import dev.jobqueue.JobState;
import dev.jobqueue.operate.JobDetails;
import dev.jobqueue.postgres.TestDatabase;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class HostileInputIntegrationTests {

    private static final int MEBIBYTE = 1_048_576;

    private static final HostileNode node = HostileNode.start(TestDatabase.create(), "--queue.queues.endless.slots=1");

    @AfterAll
    static void stop() {
        node.handlers().release();
        node.close();
    }

    /** Whatever came in: the next job goes through. */
    @AfterEach
    void goesOn() {
        UUID id = node.publisher().publish("echo", Map.of("fine", true));
        node.await(JobState.COMPLETED, id);
    }

    @Nested
    class ANulCharacter {

        static Stream<Job> everywhere() {
            return Stream.of(
                    Job.of("echo", Map.of("text", "a\0b")),
                    Job.of("echo", Map.of("a\0b", "text")),
                    Job.of("ec\0ho", null),
                    Job.of("echo", null).queue("a\0b"),
                    Job.of("echo", null).uniqueKey("a\0b"),
                    Job.of("echo", null).header("a\0b", "text"),
                    Job.of("echo", null).header("name", "a\0b"));
        }

        @ParameterizedTest
        @MethodSource("everywhere")
        void isRefusedWhenPublished(Job job) {
            assertThatThrownBy(() -> node.publisher().publish(job)).isInstanceOf(InvalidJobException.class);
        }

        @Test
        void inAnErrorDoesNotHideIt() {
            UUID id = node.publisher().publish("nul", Map.of("throw", "yes"));

            assertThat(node.await(JobState.DEAD, id).errors()).hasSize(1);
        }

        @Test
        void inAResultKillsTheJobAndNothingElse() {
            UUID id = node.publisher().publish("nul", Map.of());

            node.await(JobState.DEAD, id);
        }
    }

    @Nested
    class HalfACharacter {

        static Stream<Job> everywhere() {
            return Stream.of(
                    Job.of("echo", Map.of("text", "a\ud800b")),
                    Job.of("echo", Map.of("text", "a\udc00b")),
                    Job.of("echo", Map.of("text", "cut\ud83d")),
                    Job.of("echo", Map.of("\ud800", "text")),
                    Job.of("echo", "\ud800\ud800\udc00"),
                    Job.of("ec\ud800ho", null),
                    Job.of("echo", null).queue("cut\ud83d"),
                    Job.of("echo", null).uniqueKey("\udc00"),
                    Job.of("echo", null).header("\ud800", "text"),
                    Job.of("echo", null).header("name", "\ud800"));
        }

        @ParameterizedTest
        @MethodSource("everywhere")
        void isRefusedWhenPublishedAndNamed(Job job) {
            assertThatThrownBy(() -> node.publisher().publish(job))
                    .isInstanceOf(InvalidJobException.class)
                    .hasMessageContaining("half of a surrogate pair, '\\ud")
                    .hasMessageContaining("offsetByCodePoints");
        }

        @Test
        void inAResultKillsTheJobAndSaysWhy() {
            UUID id = node.publisher().publish("half", null);

            JobDetails dead = node.await(JobState.DEAD, id);
            assertThat(dead.attempt()).isEqualTo(1);
            assertThat(dead.errors().get(0).toString()).contains("half of a surrogate pair");
        }
    }

    @Nested
    class APayload {

        @Test
        void ofAMebibyteComesThroughAsItIs() {
            String text = "x".repeat(MEBIBYTE - 100);
            comesThrough(Map.of("text", text));
        }

        @Test
        void ofMoreThanAMebibyteIsRefused() {
            assertThatThrownBy(() -> node.publisher().publish("echo", Map.of("text", "x".repeat(MEBIBYTE))))
                    .isInstanceOf(InvalidJobException.class);
        }

        @Test
        void nestedDeeplyComesThrough() {
            comesThrough(nested(300));
        }

        @Test
        void nestedWithoutReasonIsRefused() {
            assertThatThrownBy(() -> node.publisher().publish("echo", nested(100_000)))
                    .isInstanceOf(InvalidJobException.class);
        }

        @Test
        void withCharactersOfEveryPlaneComesThrough() {
            String planes = IntStream.rangeClosed(0, 16)
                    .flatMap(plane -> IntStream.of(0x21, 0x4e2d, 0xfffd).map(character -> plane << 16 | character))
                    .mapToObj(Character::toString)
                    .collect(Collectors.joining());
            comesThrough(Map.of(planes, planes + "\u200b\u202e\ufeff\r\n\t\b"));
        }

        private static void comesThrough(Object payload) {
            UUID id = node.publisher().publish("echo", payload);

            JobDetails job = node.await(JobState.COMPLETED, id);
            assertThat(job.attempt()).isEqualTo(1);
            assertThat(job.result()).isEqualTo(job.payload());
        }

        private static Object nested(int depth) {
            Object payload = 1;
            for (int i = 0; i < depth; i++) {
                payload = List.of(payload);
            }
            return payload;
        }
    }

    @Nested
    class Sql {

        @Test
        void staysTextInEveryField() {
            Job job = Job.of(HostileHandlers.SQL, Map.of(HostileHandlers.SQL, HostileHandlers.SQL))
                    .uniqueKey(HostileHandlers.SQL)
                    .header(HostileHandlers.SQL, HostileHandlers.SQL);

            UUID id = node.publisher().publish(job);

            JobDetails done = node.await(JobState.COMPLETED, id);
            assertThat(done.queue()).isEqualTo(HostileHandlers.SQL);
            assertThat(done.type()).isEqualTo(HostileHandlers.SQL);
        }

        @Test
        void staysTextInAnError() {
            UUID id = node.publisher().publish(HostileHandlers.SQL, Map.of("throw", "yes"));

            JobDetails dead = node.await(JobState.DEAD, id);
            assertThat(dead.errors()).hasSize(1);
            assertThat(dead.errors().get(0).toString()).contains(HostileHandlers.SQL);
        }
    }

    @Nested
    class APayloadOfAnotherShape {

        @Test
        void withMoreFieldsIsStillRead() {
            UUID id = node.publisher().publish("shaped", Map.of("name", "box", "size", 7, "colour", "red"));

            node.await(JobState.COMPLETED, id);
        }

        @Test
        void withAFieldOfAnotherTypeDiesAtOnceAndSaysWhy() {
            UUID id = node.publisher().publish("shaped", Map.of("name", "box", "size", List.of("large")));

            JobDetails dead = node.await(JobState.DEAD, id);
            assertThat(dead.attempt()).isEqualTo(1);
            assertThat(dead.errors().get(0).toString()).contains("cannot be read as");
        }

        @Test
        void thatIsNoObjectAtAllDiesAtOnce() {
            UUID id = node.publisher().publish("shaped", Collections.nCopies(3, "box"));

            assertThat(node.await(JobState.DEAD, id).attempt()).isEqualTo(1);
        }
    }

    @Nested
    class AHandler {

        @ParameterizedTest
        @ValueSource(strings = {"assertion", "memory", "linkage", "overflow"})
        void thatThrowsAnErrorGetsItsAttemptsAndThenDies(String kind) {
            UUID id = node.publisher().publish("error", Map.of("kind", kind));

            JobDetails dead = node.await(JobState.DEAD, id);
            assertThat(dead.attempt()).isEqualTo(2);
            assertThat(dead.errors()).hasSize(2);
        }

        @Test
        void thatNeverEndsLosesItsSlotAndDies() {
            UUID endless = node.publisher().publish("endless", null);
            UUID next = node.publisher().publish(Job.of("echo", null).queue("endless"));

            // there is one slot, and the first job never gives it back
            node.await(JobState.COMPLETED, next);
            JobDetails dead = node.await(JobState.DEAD, endless);
            assertThat(dead.errors()).hasSize(2);
            assertThat(dead.errors().get(0).toString()).contains("timed out");
        }
    }
}
