package dev.jobqueue.internal.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.jobqueue.InvalidJobException;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The short way into the table does what the long one does. */
class PlainJobsIntegrationTests {

    private static final String TWO_IDS = "ARRAY[gen_random_uuid(), gen_random_uuid()]";

    private static final QueueFixture queue = new QueueFixture();

    @BeforeEach
    void reset() {
        queue.reset();
    }

    @Test
    void haveThePolicyOfTheirTypeWhateverIsBesideThem() {
        queue.call("set_retry_policy('rare', max_attempts => 7, timeout => '1 minute')");
        queue.call("set_retry_policy('often', max_attempts => 9)");
        queue.call("publish_plain((SELECT array_agg(gen_random_uuid()) FROM generate_series(1, 5)),"
                + " '{often, plain, rare, plain, rare}', '{1, 2, 3, 4, 5}')");

        assertThat(queue.list(
                        String.class,
                        "SELECT concat_ws(' ', payload, type, max_attempts, timeout)"
                                + " FROM queue.claim(gen_random_uuid(), limits => '{5}') ORDER BY payload::text"))
                .containsExactly("1 often 9", "2 plain 3", "3 rare 7 00:01:00", "4 plain 3", "5 rare 7 00:01:00");
    }

    @Test
    void haveTheDefaultWhereAnElementIsNull() {
        queue.call("publish_plain(" + TWO_IDS + ", '{mail, mail}', '{1, 2}', '{NULL, post}', '{5, NULL}',"
                + " ARRAY[NULL, '{\"a\": 1}'])");

        assertThat(
                        queue.list(
                                String.class,
                                "SELECT concat_ws(' ', payload, queue, priority, headers) FROM queue.job ORDER BY payload::text"))
                .containsExactly("1 default 5 {}", "2 post 0 {\"a\": 1}");
    }

    static Stream<Arguments> bad() {
        return Stream.of(
                arguments("'{mail, \" mail\"}', '{1, 2}'", "type of job 2 is ' mail'"),
                arguments("'{mail, NULL}', '{1, 2}'", "type of job 2 is null"),
                arguments("'{mail, mail}', '{1, NULL}'", "payload of job 2 is null"),
                arguments("'{mail, mail}', '{1, 2}', '{post, \"post \"}'", "queue of job 2 is 'post '"),
                arguments("'{mail, mail}', '{1, 2}', headers => ARRAY[NULL, '[]']", "headers of job 2 is '[]'"),
                arguments("'{mail, mail}', '{1, 2}', priorities => '{1}'", "priorities is '1 elements'"));
    }

    @ParameterizedTest
    @MethodSource("bad")
    void areRefusedTogetherBecauseOfOne(String arguments, String message) {
        queue.refuses(InvalidJobException.class, () -> queue.call("publish_plain(" + TWO_IDS + ", " + arguments + ")"))
                .hasMessageStartingWith(message);
    }

    @Test
    void areRefusedTogetherBecauseOfAnIdThatIsNull() {
        queue.refuses(
                        InvalidJobException.class,
                        () -> queue.call("publish_plain(ARRAY[gen_random_uuid(), NULL], '{mail, mail}', '{1, 2}')"))
                .hasMessageStartingWith("ids is null");
    }
}
