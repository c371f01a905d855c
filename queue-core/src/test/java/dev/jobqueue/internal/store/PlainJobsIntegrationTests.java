package dev.jobqueue.internal.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.jobqueue.InvalidJobException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.dao.DataAccessException;

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

    @Test
    void mayBeRowsOfNewJob() {
        queue.execute("INSERT INTO queue.new_job (id, type, payload) VALUES (gen_random_uuid(), 'mail', '1')");
        queue.execute("INSERT INTO queue.new_job (id, type, payload, queue, priority, headers)"
                + " VALUES (gen_random_uuid(), 'mail', '2', 'post', 5, '{\"a\": 1}')");

        assertThat(queue.list(
                        String.class,
                        "SELECT concat_ws(' ', payload, queue, priority, headers, state, run_at <= clock_timestamp())"
                                + " FROM queue.job ORDER BY payload::text"))
                .containsExactly("1 default 0 {} PENDING t", "2 post 5 {\"a\": 1} PENDING t");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    type     | ''
                    type     | ' mail'
                    type     | repeat('x', 201)
                    type     | NULL
                    queue    | 'post '
                    queue    | E'po\\nst'
                    queue    | NULL
                    payload  | 'oops'
                    payload  | NULL
                    payload  | to_json(repeat('x', 999))
                    priority | NULL
                    headers  | '[]'
                    id       | NULL
                    state    | 'RUNNING'
                    attempt  | 7
                    """)
    void areRefusedAsRowsOfNewJobBecauseOf(String column, String value) {
        Map<String, String> row = new HashMap<>(Map.of("id", "gen_random_uuid()", "type", "'mail'", "payload", "'1'"));
        row.put(column, value);

        assertThatExceptionOfType(DataAccessException.class)
                .isThrownBy(() -> queue.execute("INSERT INTO queue.new_job (%s) VALUES (%s)"
                        .formatted(String.join(", ", row.keySet()), String.join(", ", row.values()))));
        assertThat(queue.one(Integer.class, "SELECT count(*) FROM queue.job")).isZero();
    }

    /** Whatever way they take: names and payloads at the limits of the shortest one. */
    @ParameterizedTest
    @ValueSource(ints = {998, 999, 1_000_000})
    void ofJavaArriveAsTheyAre(int letters) {
        String payload = '"' + "x".repeat(letters) + '"';
        for (String name : List.of("mail", "Größe 7", "x".repeat(200))) {
            NewJob job = new NewJob(
                    UUID.randomUUID(), false, name, payload, name, 7, null, null, null, null, null, "{\"a\": \"1\"}");
            queue.publications.publish(List.of(job), false);

            assertThat(queue.one(
                            String.class,
                            "SELECT concat_ws(' ', payload, type, queue, priority, headers) FROM queue.job WHERE id = ?",
                            job.id()))
                    .isEqualTo(String.join(" ", payload, name, name, "7", "{\"a\": \"1\"}"));
        }
    }

    static Stream<Arguments> bad() {
        return Stream.of(
                arguments("'{mail, \" mail\"}', '{1, 2}'", "type of job 2 is ' mail'"),
                arguments("'{mail, NULL}', '{1, 2}'", "type of job 2 is null"),
                arguments("'{mail, mail}', '{1, NULL}'", "payload of job 2 is null"),
                arguments("'{mail, mail}', '{1, 2}', '{post, \"post \"}'", "queue of job 2 is 'post '"),
                arguments("'{mail, mail}', '{1, 2}', '{NULL, \" post\"}'", "queue of job 2 is ' post'"),
                arguments("'{mail, mail}', '{1, 2}', '{NULL, \"\"}'", "queue of job 2 is ''"),
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
