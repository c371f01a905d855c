package dev.jobqueue.internal.limit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.jobqueue.operate.JobCursor;
import dev.jobqueue.operate.JobLimits;
import dev.jobqueue.operate.LaneFigures;
import dev.jobqueue.operate.LanePage;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The lanes that people see, page by page. */
class LanePagesIntegrationTests {

    private static final LimitedQueue lanes = new LimitedQueue();

    private final Instant tomorrow = Instant.now().plus(Duration.ofDays(1));

    private final JobLimits limits = lanes.queue.api.limits();

    @BeforeEach
    void limitJobs() {
        lanes.limit("'crm', running => 1");
        lanes.limit("'api', running => 1");
        lanes.use("sync", "{crm}", "{a}");
        lanes.use("call", "{api}", "{a}");
    }

    @AfterEach
    void reset() {
        lanes.queue.reset();
    }

    private static void publish(String type, String key) {
        lanes.publish(type, "{\"a\": \"%s\"}".formatted(key));
    }

    /** All pages, one after the other. */
    private List<LaneFigures> all(String limit, int max) {
        List<LaneFigures> all = new ArrayList<>();
        JobCursor place = JobCursor.START;
        do {
            LanePage page = limits.lanes(limit, place, max);
            assertThat(page.lanes()).hasSizeLessThanOrEqualTo(max);
            all.addAll(page.lanes());
            place = page.next();
        } while (place != null);
        return all;
    }

    @Test
    void haveEachLaneOnceAndThoseOfOtherLimitsNever() {
        IntStream.range(0, 30).forEach(i -> publish(i % 2 == 0 ? "sync" : "call", "key-" + i));
        lanes.claim(7);
        for (int max : new int[] {1, 4, 100}) {
            assertThat(all("crm", max))
                    .extracting(LaneFigures::key)
                    .as("pages of %d", max)
                    .containsExactlyInAnyOrder(
                            IntStream.range(0, 15).mapToObj(i -> "key-" + 2 * i).toArray(String[]::new));
        }
    }

    @Test
    void endWithClosedLanesWhereNobodyWaits() {
        publish("sync", "waits");
        for (String key : List.of("b", "", "a'", "waits")) {
            limits.closeLane("crm", key, tomorrow);
        }
        limits.closeLane("crm", "b", tomorrow.plusSeconds(1));
        limits.closeLane("api", "other", tomorrow);
        // the claim finds the lane closed, and notes that somebody waits there
        assertThat(lanes.claim(10)).isEmpty();
        for (int max : new int[] {1, 2, 100}) {
            List<LaneFigures> found = all("crm", max);
            assertThat(found)
                    .as("pages of %d", max)
                    .extracting(LaneFigures::key, LaneFigures::waiting)
                    .containsExactly(tuple("waits", 1L), tuple("", 0L), tuple("a'", 0L), tuple("b", 0L));
            assertThat(found).allSatisfy(each -> assertThat(each.opensAt()).isNotNull());
            assertThat(found.get(3).oldest()).isNull();
            assertThat(found.get(3).opensAt()).isAfter(tomorrow);
        }
        assertThat(limits.blockedLanes("crm", JobCursor.START, 10).lanes()).isEmpty();
        limits.closeLane("crm", "b", Instant.EPOCH);
        assertThat(all("crm", 100)).extracting(LaneFigures::key).doesNotContain("b");
    }

    /** Its only job is put off, so that it neither waits nor runs. */
    @Test
    void haveALaneThatAHandlerClosed() {
        UUID job = lanes.publish("sync", "{\"a\": \"busy\"}");
        lanes.claim(1);
        lanes.queue.settlements.rateLimited(lanes.claimOf(job), Duration.ofHours(1), null);

        assertThat(all("crm", 10)).singleElement().satisfies(lane -> {
            assertThat(lane.key()).isEqualTo("busy");
            assertThat(lane.held()).isZero();
            assertThat(lane.opensAt()).isAfter(Instant.now());
        });
    }

    @Test
    void mayBeEmptyWhereVeryManyLanesOfOtherLimitsComeBetween() {
        lanes.queue.list(
                UUID.class,
                "SELECT queue.publish_many(NULL, array_fill('call'::text, ARRAY[5000]),"
                        + " ARRAY(SELECT format('{\"a\": %s}', i) FROM generate_series(1, 5000) AS i))");
        publish("sync", "rare");
        LanePage first = limits.lanes("crm", JobCursor.START, 10);

        assertThat(first.next()).isNotNull();
        assertThat(all("crm", 10)).extracting(LaneFigures::key).containsExactly("rare");
        assertThat(all("api", 1000)).hasSize(5000);
    }
}
