package dev.jobqueue.internal.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobqueue.internal.extend.QueueEvents;
import dev.jobqueue.schedule.JobSchedule.Misfire;
import dev.jobqueue.schedule.JobSchedule.Overlap;
import dev.jobqueue.schedule.Schedule;
import dev.jobqueue.schedule.Schedule.Origin;
import dev.jobqueue.spi.NodeMeter;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** Schedules fired by real nodes; a node never looks but when something is due or wakes it. */
class SchedulerIntegrationTests {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private static final ScheduleDatabase database = new ScheduleDatabase();

    private final List<Scheduler> nodes = new ArrayList<>();
    private final Counts counts = new Counts();

    private Scheduler start() {
        return start(null);
    }

    private Scheduler start(@Nullable String application) {
        Scheduler node = database.scheduler(QueueEvents.of(counts), application);
        nodes.add(node);
        node.start();
        return node;
    }

    @AfterEach
    void stop() throws InterruptedException {
        for (Scheduler node : nodes) {
            node.close();
        }
    }

    @BeforeEach
    void clear() {
        database.clear();
    }

    private void awaitSettled(String name) {
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(database.find(name).nextRunAt())
                        .isAfter(Instant.now().minusSeconds(5)));
    }

    @Nested
    class Fires {

        @Test
        void wheneverItIsDueAndSoonAfter() {
            database.set("second", "* * * * * *");
            start();
            await().atMost(PATIENCE).untilAsserted(() -> {
                List<Duration> lags = List.copyOf(counts.lags).stream().sorted().toList();
                assertThat(lags).hasSizeGreaterThan(10);
                assertThat(lags.get(0)).isLessThan(Duration.ofMillis(100));
                assertThat(lags.get(lags.size() / 2)).as("median of %s", lags).isLessThan(Duration.ofMillis(500));
            });
            List<Instant> times = database.firedTimes("second");
            assertThat(times).doesNotHaveDuplicates();
            for (int i = 1; i < times.size(); i++) {
                assertThat(times.get(i)).isEqualTo(times.get(i - 1).plusSeconds(1));
            }
        }

        @Test
        void byAnIntervalCountedFromWhenItWasSet() {
            database.schedules.set(ScheduleDatabase.schedule(
                    "interval", null, Duration.ofSeconds(1), "{}", Misfire.ONCE, Overlap.ALLOW, Origin.API, null));
            start();
            await().atMost(PATIENCE)
                    .untilAsserted(
                            () -> assertThat(database.firedTimes("interval")).hasSizeGreaterThan(2));
            List<Instant> times = database.firedTimes("interval");
            assertThat(times.get(1)).isEqualTo(times.get(0).plusSeconds(1));
        }

        @Test
        void notWhilePaused() {
            database.set("paused", "* * * * * *");
            database.set("other", "* * * * * *");
            database.schedules.pause("paused");
            start();
            await().atMost(PATIENCE)
                    .untilAsserted(
                            () -> assertThat(database.firedTimes("other")).hasSizeGreaterThan(1));
            assertThat(database.firedTimes("paused")).isEmpty();
        }

        @Test
        void onlyByNodesOfItsApplication() {
            ofShop("theirs", "@yearly");
            database.wasDue("theirs", Duration.ofHours(1));
            database.set("anybody's", "* * * * * *");

            start("warehouse");
            start(null);
            await().atMost(PATIENCE)
                    .untilAsserted(
                            () -> assertThat(database.firedTimes("anybody's")).hasSizeGreaterThan(1));
            assertThat(database.find("theirs")).returns(0L, Schedule::fired).returns(0L, Schedule::missed);

            // it was away for an hour, whoever else was up: the misfire policy decides
            start("shop");
            awaitSettled("theirs");
            assertThat(database.find("theirs").fired()).isZero();
            assertThat(database.find("theirs").missed()).isPositive();
        }

        @Test
        void byNodesOfItsApplicationWheneverItIsDue() {
            ofShop("ours", "* * * * * *");
            start("warehouse");
            start("shop");
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(database.firedTimes("ours")).hasSizeGreaterThan(1));
        }

        private static void ofShop(String name, String cron) {
            database.schedules.set(ScheduleDatabase.schedule(
                    name, cron, null, "{}", Misfire.SKIP, Overlap.ALLOW, Origin.CODE, "shop"));
        }

        @Test
        void tenThousandThatAreDueInOneMinuteOnceEachByTwoNodes() {
            database.jdbc
                    .sql("SELECT count(queue.set_schedule('customer ' || i, 'tick', cron => '0 3 * * *', zone"
                            + " => 'Europe/Berlin'))"
                            + " FROM generate_series(1, 10000) AS i")
                    .query(Long.class)
                    .single();
            database.jdbc
                    .sql("UPDATE queue.schedule SET next_run_at = now() - interval '5 seconds'")
                    .update();
            Instant began = Instant.now();
            start();
            start();
            await().atMost(Duration.ofMinutes(2))
                    .pollInterval(Duration.ofMillis(500))
                    .untilAsserted(() -> assertThat(database.jobs()).isEqualTo(10_000));
            assertThat(Duration.between(began, Instant.now())).isLessThan(Duration.ofMinutes(1));
            assertThat(database.jdbc
                            .sql("SELECT count(DISTINCT headers ->> 'schedule') FROM queue.live_job")
                            .query(Long.class)
                            .single())
                    .isEqualTo(10_000);
        }
    }

    @Nested
    class WhenNoNodeWasUp {

        @Test
        void leavesOutWhatWasMissedWithSkip() {
            miss(Misfire.SKIP);
            assertThat(database.firedTimes("hourly")).isEmpty();
            assertThat(database.find("hourly").missed()).isEqualTo(3);
            assertThat(counts.missed).containsEntry("hourly", 3);
            assertThat(database.unmetSince("hourly")).isBefore(Instant.now().minus(Duration.ofMinutes(149)));
        }

        @Test
        void makesUpForItOnceWithOnce() {
            miss(Misfire.ONCE);
            assertThat(database.firedTimes("hourly")).hasSize(1);
            assertThat(database.find("hourly").missed()).isEqualTo(2);
            assertThat(database.unmetSince("hourly")).isNull();
        }

        @Test
        void makesUpForEachWithAll() {
            miss(Misfire.ALL);
            assertThat(database.firedTimes("hourly")).hasSize(3).doesNotHaveDuplicates();
            assertThat(database.find("hourly").missed()).isZero();
        }

        /** Due 150 minutes ago, and then every hour. */
        private void miss(Misfire misfire) {
            database.schedules.set(ScheduleDatabase.schedule(
                    "hourly", null, Duration.ofHours(1), "{}", misfire, Overlap.ALLOW, Origin.API, null));
            database.wasDue("hourly", Duration.ofMinutes(150));
            start();
            awaitSettled("hourly");
        }
    }

    @Nested
    class WhileTheLastRunHasNotEnded {

        @Test
        void firesAgainWithAllow() {
            fireTwice(Overlap.ALLOW);
            assertThat(database.firedTimes("daily")).hasSize(2);
            assertThat(database.find("daily").skipped()).isZero();
        }

        @Test
        void leavesOutTheNextWithSkipWhileItIsPending() {
            fireTwice(Overlap.SKIP);
            assertThat(database.firedTimes("daily")).hasSize(1);
            assertThat(database.find("daily").skipped()).isEqualTo(1);
            assertThat(counts.skipped).containsEntry("daily", 1);
        }

        @Test
        void leavesOutTheNextWithSkipWhileItRunsAndFiresAfterwards() {
            Scheduler node = fireTwice(Overlap.SKIP);
            claim();
            Instant unmet = database.unmetSince("daily");
            fireOnceMore(node);
            assertThat(database.find("daily").skipped()).isEqualTo(2);
            assertThat(database.unmetSince("daily")).isNotNull().isEqualTo(unmet);
            database.jdbc
                    .sql("SELECT queue.complete(id, lease, NULL) FROM queue.live_job WHERE state = 'RUNNING'")
                    .query()
                    .listOfRows();
            fireOnceMore(node);
            assertThat(database.find("daily").fired()).isEqualTo(2);
            assertThat(database.find("daily").skipped()).isEqualTo(2);
            assertThat(database.unmetSince("daily")).isNull();
        }

        private Scheduler fireTwice(Overlap overlap) {
            database.set("daily", "@daily", Misfire.ONCE, overlap);
            database.wasDue("daily", Duration.ofSeconds(1));
            Scheduler node = start();
            awaitSettled("daily");
            fireOnceMore(node);
            return node;
        }

        private void fireOnceMore(Scheduler node) {
            database.wasDue("daily", Duration.ofMillis(0));
            node.wake();
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(database.find("daily").nextRunAt())
                            .isAfter(Instant.now().plusSeconds(1)));
        }

        private void claim() {
            database.jdbc
                    .sql("SELECT queue.heartbeat('00000000-0000-0000-0000-000000000001')")
                    .query()
                    .listOfRows();
            assertThat(database.jdbc
                            .sql("SELECT id FROM queue.claim('00000000-0000-0000-0000-000000000001',"
                                    + " '{default}', '{1}', NULL)")
                            .query()
                            .listOfRows())
                    .hasSize(1);
        }
    }

    @Nested
    class WhenOneScheduleCannotBeFired {

        @Test
        void firesTheOthersAndKeepsTheReason() {
            database.set("fine", "@daily");
            database.set("unreadable", "99 * * * *");
            database.schedules.set(ScheduleDatabase.schedule(
                    "too-long",
                    "@daily",
                    null,
                    "{\"text\": \"%s\"}".formatted("x".repeat(2_000)),
                    Misfire.ONCE,
                    Overlap.ALLOW,
                    Origin.API,
                    null));
            database.wasDue("fine", Duration.ofSeconds(1));
            database.wasDue("too-long", Duration.ofSeconds(1));
            database.jdbc
                    .sql("SELECT queue.configure(max_payload_bytes => 1000)")
                    .query()
                    .listOfRows();
            start();
            await().atMost(PATIENCE).untilAsserted(() -> {
                assertThat(database.firedTimes("fine")).hasSize(1);
                assertThat(database.find("unreadable").problem()).contains("minute '99'");
                assertThat(database.find("too-long").problem()).contains("payload");
            });
            assertThat(database.firedTimes("too-long")).isEmpty();
        }
    }

    /** What a node tells. */
    private static final class Counts implements NodeMeter {

        private final List<Duration> lags = Collections.synchronizedList(new ArrayList<>());
        private final Map<String, Integer> skipped = new ConcurrentHashMap<>();
        private final Map<String, Integer> missed = new ConcurrentHashMap<>();

        @Override
        public void scheduleFired(String name, Duration lag) {
            lags.add(lag);
        }

        @Override
        public void scheduleSkipped(String name) {
            skipped.merge(name, 1, Integer::sum);
        }

        @Override
        public void scheduleMissed(String name, int count) {
            missed.merge(name, count, Integer::sum);
        }
    }
}
