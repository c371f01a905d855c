package dev.jobqueue.internal.claim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.InvalidJobException;
import dev.jobqueue.internal.QueueFixture;
import dev.jobqueue.internal.handle.ClaimedJob;
import dev.jobqueue.internal.settle.JobLease;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How many bytes of payloads a claim brings. */
class ClaimedBytesIntegrationTests {

    private static final QueueFixture queue = new QueueFixture();

    private final UUID worker = UUID.randomUUID();

    @BeforeEach
    void reset() {
        queue.reset();
    }

    @Test
    void endWithTheJobThatReachesTheLimit() {
        publish(20, "to_jsonb(repeat('x', 100000))");
        assertThat(claim(20, 250_000)).hasSize(3);
    }

    /** Random text, which PostgreSQL stores as it is. */
    @Test
    void endSoWithPayloadsThatAreNotCompressed() {
        publish(20, "to_jsonb((SELECT string_agg(md5(n::text || m), '') FROM generate_series(1, 40) AS m))");
        assertThat(claim(20, 2_600)).hasSize(3);
    }

    @Test
    void areThoseOfOneJobAtLeast() {
        publish(2, "to_jsonb(repeat('x', 100000))");
        assertThat(claim(10, 1)).hasSize(1);
    }

    @Test
    void leaveTheRestToTheNextClaimInOrder() {
        publish(20, "to_jsonb(repeat('x', 10000) || n)");
        List<String> claimed = new ArrayList<>();
        for (List<ClaimedJob> some = claim(20, 50_000); !some.isEmpty(); some = claim(20, 50_000)) {
            some.forEach(job -> claimed.add(job.payload().replaceAll("[x\"]", "")));
        }
        assertThat(claimed).hasSize(20).isEqualTo(inOrder(20));
    }

    @Test
    void areCountedForEachQueue() {
        publish(5, "to_jsonb(repeat('x', 100000))");
        queue.list(
                UUID.class,
                "SELECT queue.publish('mail', to_jsonb(repeat('x', 100000)), queue => 'other')"
                        + " FROM generate_series(1, 5) AS n");
        List<ClaimedJob> claimed = queue.claims.claim(worker, Map.of("default", 5, "other", 5), null, 150_000L);
        assertThat(claimed)
                .extracting(ClaimedJob::queue)
                .containsExactlyInAnyOrder("default", "default", "other", "other");
    }

    @Test
    void includeThoseOfHeaders() {
        queue.list(
                UUID.class,
                "SELECT queue.publish('mail', '1', headers => jsonb_build_object('h', repeat('x', 100000)))"
                        + " FROM generate_series(1, 20) AS n");
        assertThat(claim(20, 250_000)).hasSize(3);
    }

    @Test
    void includeThoseOfHeadersOfAJobWithAKeyOrATime() {
        queue.list(
                UUID.class,
                "SELECT queue.publish('mail', '1', headers => jsonb_build_object('h', repeat('x', 100000)),"
                        + " unique_key => n::text, run_at => now() + n * interval '1 minute')"
                        + " FROM generate_series(-10, 9) AS n");
        queue.letAnHourPass();
        queue.promoteAll();
        assertThat(claim(20, 250_000)).hasSize(3);
    }

    @Test
    void includeThoseOfStepsThatAreDone() {
        publish(10, "'1'");
        List<JobLease> claims =
                queue.claim(worker, 10).stream().map(ClaimedJob::lease).toList();
        claims.forEach(each -> {
            queue.reports.saveStep(each, "one", "\"" + "x".repeat(50_000) + "\"");
            queue.reports.saveStep(each, "two", "\"" + "x".repeat(50_000) + "\"");
        });
        queue.settlements.release(claims);

        assertThat(claim(10, 250_000)).hasSize(3);
    }

    @Test
    void areAsManyAsThereAreWithoutALimit() {
        publish(20, "to_jsonb(repeat('x', 100000))");
        assertThat(queue.claim(worker, 20)).hasSize(20);
    }

    @Test
    void mustBeMoreThanNone() {
        queue.refuses(InvalidJobException.class, () -> claim(1, 0))
                .hasMessageContaining("max_bytes is '0': must be more than 0");
    }

    private List<ClaimedJob> claim(int limit, long maxBytes) {
        return queue.claims.claim(worker, Map.of("default", limit), null, maxBytes);
    }

    private static void publish(int jobs, String payload) {
        queue.list(
                UUID.class,
                "SELECT queue.publish('mail', %s) FROM generate_series(1, %d) AS n".formatted(payload, jobs));
    }

    private static List<String> inOrder(int count) {
        List<String> numbers = new ArrayList<>();
        for (int i = 1; i <= count; i++) {
            numbers.add(Integer.toString(i));
        }
        return numbers;
    }
}
