package dev.jobqueue.internal.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.jobqueue.InvalidJobException;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

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
                .containsExactly("1 default 5", "2 post 0 {\"a\": 1}");
    }

    /** As a row, by unnest and by COPY. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 199, 200, 450})
    void ofJavaArriveAsTheyAre(int count) {
        SingleConnectionDataSource connection = queue.connect();
        try {
            Publications joining = new Publications(Sql.joining(connection, QueueFixture.SCHEMA));
            Publications apart = new Publications(Sql.apart(connection, QueueFixture.SCHEMA));

            arrive(count, jobs -> apart.publish(jobs, false));
            arrive(count, jobs -> joining.publish(jobs, false));
            arrive(
                    count,
                    jobs -> new TransactionTemplate(new JdbcTransactionManager(connection))
                            .execute(status -> joining.publish(jobs, false)));
        } finally {
            connection.destroy();
        }
    }

    private static void arrive(int count, Function<List<NewJob>, List<UUID>> publish) {
        List<NewJob> jobs = IntStream.range(0, count)
                .mapToObj(PlainJobsIntegrationTests::mixed)
                .toList();

        assertThat(publish.apply(jobs)).isEqualTo(jobs.stream().map(NewJob::id).toList());

        // The server compares ids as bytes, so as their texts.
        assertThat(queue.list(
                        String.class,
                        "SELECT concat_ws(' ', id, type, queue, priority, coalesce(headers::text, 'none'), payload, state,"
                                + " run_at <= clock_timestamp()) FROM queue.job ORDER BY id"))
                .isEqualTo(jobs.stream()
                        .sorted(Comparator.comparing(job -> job.id().toString()))
                        .map(PlainJobsIntegrationTests::stored)
                        .toList());
        queue.execute("DELETE FROM queue.job");
    }

    private static NewJob mixed(int number) {
        String payload = "{\"n\":%d,\"text\":\"Größe 7 €, 発送 📦 \\\" \\n\\t\\\\ %s\"}"
                .formatted(number, "ß".repeat(number % 3 * 200));
        String headers = number % 4 == 0 ? null : "{\"für\": \"%d 📦\"}".formatted(number);
        String[] queues = {null, "post", "default"};
        return new NewJob(
                UUID.randomUUID(),
                false,
                "mail." + number % 5,
                payload,
                queues[number % 3],
                number % 7 - 3,
                null,
                null,
                null,
                null,
                null,
                headers);
    }

    private static String stored(NewJob job) {
        return String.join(
                " ",
                job.id().toString(),
                job.type(),
                job.queue() == null ? "default" : job.queue(),
                String.valueOf(job.priority()),
                job.headers() == null ? "none" : job.headers(),
                job.payload(),
                "PENDING",
                "t");
    }

    /** Whatever way they take: names and payloads at the limits of the shortest one. */
    @ParameterizedTest
    @ValueSource(ints = {998, 999, 1_000_000})
    void ofJavaArriveAsTheyAreAtTheLimits(int letters) {
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
