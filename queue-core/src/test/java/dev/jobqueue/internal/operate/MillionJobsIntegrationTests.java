package dev.jobqueue.internal.operate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.JobState;
import dev.jobqueue.operate.JobCursor;
import dev.jobqueue.operate.JobFilter;
import dev.jobqueue.operate.JobPage;
import dev.jobqueue.operate.JobSummary;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** One million jobs: what looks at them touches as few blocks as with a thousand. */
class MillionJobsIntegrationTests {

    private static final Pattern BUFFERS = Pattern.compile("Buffers: shared(?: hit=(\\d+))?(?: read=(\\d+))?");

    private static final ObservedQueue queue = ObservedQueue.create();

    @BeforeAll
    static void publishAMillion() {
        // 950,000 pending, 50,000 for later; 50,000 in the history, 20,000 dead; one of each rare type at the far end
        queue.jdbc.sql("""
                        INSERT INTO queue.job (id, queue, type, priority, run_at, payload, max_attempts, created_at)
                        SELECT lpad(to_hex(i), 32, '0')::uuid, 'q' || i % 3,
                            CASE i WHEN 900000 THEN 'rare' ELSE 'common' END, i % 2,
                            now() + i * interval '1 millisecond', '{}', 5, now()
                        FROM generate_series(1, 1000000) AS i
                        """).update();
        for (String place : List.of("ready", "scheduled")) {
            queue.jdbc.sql("""
                            INSERT INTO queue.%s (epoch, hash, rank, run_at, id, type, size)
                            SELECT 1, hashtextextended(queue, 0), ~priority, run_at, id, type, 2 FROM queue.job
                            WHERE (id <= lpad(to_hex(950000), 32, '0')::uuid) = %s
                            """.formatted(place, place.equals("ready"))).update();
        }
        queue.jdbc.sql("""
                        INSERT INTO queue.job_history (id, queue, type, state, priority, run_at, payload, headers,
                            attempt, max_attempts, created_at, errors, steps, events, finished_at)
                        SELECT id, queue, type, CASE type WHEN 'rare' THEN 'CANCELLED' ELSE 'COMPLETED' END, 0, run_at,
                            '{}', '{}', 1, 5, created_at, '[]', 0, 0, now() FROM queue.job LIMIT 50000
                        """).update();
        queue.jdbc.sql("""
                        INSERT INTO queue.dead_letter (id, queue, type, priority, run_at, payload, headers, attempt,
                            max_attempts, created_at, errors, steps, events, reason, died_at)
                        SELECT id, queue, type, 0, run_at, '{}', '{}', 1, 5, created_at, '[]', 0, 0, 'why', run_at
                        FROM queue.job LIMIT 20000
                        """).update();
        queue.jdbc
                .sql("SELECT queue.publish('keyed', '{}', unique_key => 'the key')")
                .query()
                .listOfRows();
        // replayed ones must not be live at the same time
        queue.jdbc
                .sql("UPDATE queue.dead_letter SET id = gen_random_uuid(), type = 'gone' WHERE queue = 'q1'")
                .update();
        queue.jdbc
                .sql("ANALYZE queue.job, queue.ready, queue.scheduled, queue.dead_letter")
                .update();
    }

    private static long buffers(String call) {
        List<String> plan = queue.jdbc
                .sql("EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, SUMMARY OFF) SELECT * FROM " + call)
                .query(String.class)
                .list();
        Matcher matcher = BUFFERS.matcher(String.join("\n", plan));
        assertThat(matcher.find()).isTrue();
        return count(matcher.group(1)) + count(matcher.group(2));
    }

    private static long count(String number) {
        return number == null ? 0 : Long.parseLong(number);
    }

    @ParameterizedTest
    @CsvSource({
        "PENDING,",
        "PENDING,q1",
        "SCHEDULED,",
        "SCHEDULED,q1",
        "DEAD,",
        "DEAD,q1",
        "COMPLETED,",
        "COMPLETED,q1",
        "RUNNING,"
    })
    void walksAnIndexFromAnyPlaceAndFetchesLittleMoreThanThePage(JobState state, String name) {
        assertThat(queue.jobs
                        .find(JobFilter.of(state).queue(name), JobCursor.START, 50)
                        .jobs())
                .hasSize(state == JobState.RUNNING ? 0 : 50);
        String filter = "{\"state\": \"%s\", \"queue\": %s}".formatted(state, name == null ? "null" : '"' + name + '"');
        for (String after : List.of("NULL", "'" + farFromTheStart(state) + "'")) {
            Touched touched = touched("queue.find_jobs('%s', %s, 50)".formatted(filter, after));
            assertThat(touched.scans()).as("sequential scans after " + after).isZero();
            assertThat(touched.rows()).as("rows after " + after).isLessThan(500);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "cancel_jobs('{\"state\": \"PENDING\"}', max => 100) | 100",
                "cancel_jobs('{\"state\": \"SCHEDULED\", \"queue\": \"q1\"}', max => 100) | 100",
                "retry_jobs('{\"state\": \"SCHEDULED\"}', max => 100) | 100",
                "replay_jobs('{\"state\": \"DEAD\", \"type\": \"gone\"}', max => 100) | 100",
                "purge_jobs('{\"state\": \"DEAD\", \"queue\": \"q1\"}', max => 100) | 100",
                "reprioritise_jobs('{\"state\": \"PENDING\", \"queue\": \"q1\"}', 7, max => 100) | 100",
                "reschedule_jobs('{\"state\": \"PENDING\"}', now() + interval '1 day', max => 100) | 100",
                "reschedule_jobs('{\"state\": \"SCHEDULED\"}', now() + interval '1 day', max => 100) | 100"
            })
    void touchesLittleMoreThanTheJobsOfABatch(String call, long jobs) {
        Touched touched = touched("queue." + call);
        assertThat(touched.scans()).as("sequential scans").isZero();
        assertThat(touched.rows()).as("rows").isLessThan(2_000);
        queue.jdbc.sql("BEGIN").update();
        assertThat(queue.jdbc
                        .sql("SELECT jobs FROM queue." + call)
                        .query(Long.class)
                        .single())
                .isEqualTo(jobs);
        queue.jdbc.sql("ROLLBACK").update();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"state\": \"PENDING\", \"unique_key\": \"the key\"} | 1 | 100",
                "{\"state\": \"PENDING\", \"type\": \"keyed\", \"unique_key\": \"the key\"} | 1 | 100",
                "{\"state\": \"PENDING\", \"type\": \"common\", \"unique_key\": \"the key\"} | 0 | 100",
                "{\"state\": \"DEAD\", \"since\": \"2000-01-01\", \"before\": \"2000-01-02\"} | 0 | 100",
                "{\"state\": \"COMPLETED\", \"before\": \"2000-01-02\"} | 0 | 100",
                "{\"state\": \"PENDING\", \"error_like\": \"%oops%\"} | 0 | 100000",
                "{\"state\": \"PENDING\"} | 10000 | 25000"
            })
    void countsWithinABudget(String filter, long jobs, long rows) {
        String count = "queue.count_jobs('" + filter + "')";
        assertThat(queue.jdbc.sql("SELECT jobs FROM " + count).query(Long.class).single())
                .isEqualTo(jobs);
        Touched touched = touched(count);
        assertThat(touched.scans()).as("sequential scans").isZero();
        assertThat(touched.rows()).as("rows").isLessThan(rows);
    }

    /** How the call reached the jobs. The difference counts, because what went before may be in the figures. */
    private static Touched touched(String call) {
        queue.jdbc.sql("BEGIN").update();
        Touched before = touchedSoFar();
        queue.jdbc.sql("SELECT * FROM " + call).query().listOfRows();
        Touched after = touchedSoFar();
        queue.jdbc.sql("ROLLBACK").update();
        return new Touched(after.scans() - before.scans(), after.rows() - before.rows());
    }

    private static Touched touchedSoFar() {
        return queue.jdbc
                .sql("SELECT sum(seq_scan)::bigint AS scans,"
                        + " sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::bigint AS rows"
                        + " FROM pg_stat_xact_user_tables WHERE schemaname = 'queue'"
                        + " AND relname ~ '^(job|job_history.*|ready|scheduled|dead_letter)$'")
                .query(Touched.class)
                .single();
    }

    record Touched(long scans, long rows) {}

    /** Where a page after thousands of others begins. */
    private static String farFromTheStart(JobState state) {
        String table = switch (state) {
            case DEAD -> "queue.dead_letter";
            case COMPLETED, CANCELLED -> "queue.job_history";
            case SCHEDULED -> "(SELECT id, ~rank AS priority, run_at FROM queue.scheduled) AS s";
            default -> "(SELECT id, ~rank AS priority, run_at FROM queue.ready) AS r";
        };
        return queue.jdbc
                .sql("SELECT json_build_array(hashtextextended('q1', 0)::text, priority, run_at, id) FROM %s"
                                .formatted(table)
                        + " OFFSET 10000 LIMIT 1")
                .query(String.class)
                .single();
    }

    @Test
    void looksAtNoMoreThanItsBudgetForATypeThatIsRare() {
        JobPage page = queue.jobs.find(JobFilter.of(JobState.PENDING).type("rare"), JobCursor.START, 50);
        assertThat(page.jobs()).isEmpty();
        assertThat(page.next()).isNotNull();
        assertThat(buffers("queue.find_jobs('{\"state\": \"PENDING\", \"type\": \"rare\"}')"))
                .isLessThan(13_000);
    }

    @Test
    void findsTheRareOneInTheEnd() {
        JobFilter filter = JobFilter.of(JobState.PENDING).queue("q0").type("rare");
        JobPage page = queue.jobs.find(filter, JobCursor.START, 1);
        int pages = 1;
        while (page.jobs().isEmpty() && page.next() != null) {
            page = queue.jobs.find(filter, page.next(), 1);
            pages++;
        }
        assertThat(page.jobs()).extracting(JobSummary::type).containsExactly("rare");
        assertThat(pages).isBetween(2, 35);
    }

    @Test
    void readsTheFiguresWithAsFewBlocksAsTenThousandJobsHave() {
        // about 5,000: up to 10,000 jobs of each queue are counted, entry by entry in an index
        assertThat(buffers("queue.figures()")).isLessThan(25_000);
        assertThat(buffers("queue.unhandled()")).isLessThan(2_000);
    }
}
