package dev.jobqueue.internal.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.jobqueue.InvalidJobException;
import dev.jobqueue.internal.Uuids;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

/** Whichever way ordinary jobs go, and whether all columns go with them or some are left to the table: each is stored as it is. */
class OrdinaryColumnsIntegrationTests {

    /** What an array, a row or a text of the server has to escape. */
    private static final String HOSTILE = "{\"text\":\"a,b {c} 'd' \\\\ \\\" \\n NULL \u00e4\u20ac\ud83d\ude00\"}";

    private static final QueueFixture queue = new QueueFixture();

    private SingleConnectionDataSource connection;

    @BeforeEach
    void reset() {
        queue.reset();
    }

    @AfterEach
    void close() {
        connection.destroy();
    }

    private Publications publications(String queryMode) {
        Properties properties = new Properties();
        properties.setProperty("user", queue.database.username());
        properties.setProperty("password", queue.database.password());
        properties.setProperty("preferQueryMode", queryMode);
        connection = new SingleConnectionDataSource(queue.database.jdbcUrl(), true);
        connection.setConnectionProperties(properties);
        return new Publications(Sql.apart(connection, QueueFixture.SCHEMA));
    }

    private static NewJob brief(int number) {
        return NewJob.of(Uuids.next(), "type" + number % 3, HOSTILE);
    }

    private static NewJob whole(int number) {
        return new NewJob(
                Uuids.next(),
                false,
                "type",
                "{\"n\":" + number + "}",
                "queue" + number % 3,
                number - 2,
                null,
                null,
                null,
                null,
                null,
                HOSTILE);
    }

    private static List<NewJob> jobs(int count, IntFunction<NewJob> job) {
        return IntStream.range(0, count).mapToObj(job).toList();
    }

    /** How many, by which protocol: one by VALUES, some by arrays, many by COPY. */
    @ParameterizedTest
    @CsvSource({
        "1,extended",
        "2,extended",
        "16,extended",
        "199,extended",
        "200,extended",
        "300,extended",
        "1,simple",
        "2,simple",
        "199,simple",
        "200,simple",
        "16,extendedForPrepared",
        "16,extendedCacheEverything"
    })
    void areStoredAsTheyAre(int count, String queryMode) {
        Publications publications = publications(queryMode);
        List<NewJob> mixed = new ArrayList<>(jobs(count, OrdinaryColumnsIntegrationTests::brief));
        mixed.set(count - 1, whole(7));
        List<List<NewJob>> calls = List.of(
                jobs(count, OrdinaryColumnsIntegrationTests::brief),
                jobs(count, OrdinaryColumnsIntegrationTests::whole),
                mixed,
                jobs(count, OrdinaryColumnsIntegrationTests::brief));

        calls.forEach(call -> publications.publish(call, false));

        areStored(calls.stream().flatMap(List::stream));
    }

    /** Each that has one thing beside the defaults, and in a call of its own. */
    @ParameterizedTest
    @CsvSource({"queue,0,", ",2147483647,", ",-2147483648,", ",0,'{\"a\": \"b\"}'", "default,0,"})
    void areStoredAsTheyAreWithOneThingOfTheirOwn(String name, int priority, String headers) {
        Publications publications = publications("extended");
        NewJob job =
                new NewJob(Uuids.next(), false, "type", "null", name, priority, null, null, null, null, null, headers);

        publications.publish(List.of(job), false);

        areStored(Stream.of(job));
    }

    /** One job among many, of so many bytes in a COPY: as many as are sent at once, more and less, from its beginning to its end. */
    @ParameterizedTest
    @CsvSource({
        "0,32748",
        "0,32749",
        "0,32750",
        "100,32768",
        "100,100000",
        "199,32766",
        "199,32767",
        "199,32768",
        "199,32769"
    })
    void areStoredAsTheyAreHoweverLargeOneIs(int index, int bytes) {
        Publications publications = publications("extended");
        List<NewJob> jobs = new ArrayList<>(jobs(200, OrdinaryColumnsIntegrationTests::brief));
        jobs.set(index, large(bytes));

        publications.publish(jobs, false);

        areStored(jobs.stream());
    }

    private static NewJob large(int bytes) {
        // 47: the columns, the size of each, id, priority and the version of jsonb
        int letters = bytes - 47 - "t".length() - "1".length() - "q".length() - "{'':''}".length();
        String headers = "{\"\":\"" + "x".repeat(letters) + "\"}";
        return new NewJob(Uuids.next(), false, "t", "1", "q", 0, null, null, null, null, null, headers);
    }

    private static void areStored(Stream<NewJob> jobs) {
        assertThat(queue.list(
                        String.class,
                        "SELECT concat_ws('|', id, type, payload, queue, priority, coalesce(headers::text, 'none'), state,"
                                + " attempt) FROM queue.job"))
                .containsExactlyInAnyOrderElementsOf(
                        jobs.map(OrdinaryColumnsIntegrationTests::asStored).toList());
    }

    private static String asStored(NewJob job) {
        // headers are jsonb, which writes a blank behind each colon
        return Stream.of(
                        job.id().toString(),
                        job.type(),
                        job.payload(),
                        job.queueName(),
                        String.valueOf(job.priority()),
                        job.headers() == null ? "none" : job.headers().replace("\":\"", "\": \""),
                        "PENDING",
                        "0")
                .reduce((a, b) -> a + "|" + b)
                .orElseThrow();
    }

    @ParameterizedTest
    @CsvSource({"1,extended", "16,extended", "200,extended", "16,simple"})
    void areRefusedTogetherIfOneIsNoJson(int count, String queryMode) {
        Publications publications = publications(queryMode);
        List<NewJob> jobs = new ArrayList<>(jobs(count, OrdinaryColumnsIntegrationTests::brief));
        jobs.set(count / 2, NewJob.of(Uuids.next(), "type", "oops"));

        assertThatExceptionOfType(InvalidJobException.class).isThrownBy(() -> publications.publish(jobs, false));

        assertThat(queue.one(Long.class, "SELECT count(*) FROM queue.job")).isZero();
    }
}
