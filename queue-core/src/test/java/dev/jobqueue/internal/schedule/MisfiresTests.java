package dev.jobqueue.internal.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.schedule.JobSchedule.Misfire;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class MisfiresTests {

    private static final Instant NOON = Instant.parse("2026-05-05T12:00:00Z");

    private static ScheduleRun decide(String cron, Misfire misfire, Instant due, Instant now) {
        return Misfires.decide(new DueSchedule("tick", cron, null, "UTC", misfire, due, NOON, now));
    }

    @Nested
    class WhenNodesAreUp {

        @ParameterizedTest
        @EnumSource
        void firesEachDueTimeWhateverThePolicy(Misfire misfire) {
            ScheduleRun run = decide("* * * * * *", misfire, NOON, NOON.plusMillis(2_300));
            assertThat(run.fireAts()).containsExactly(NOON, NOON.plusSeconds(1), NOON.plusSeconds(2));
            assertThat(run.missed()).isZero();
            assertThat(run.next()).isEqualTo(NOON.plusSeconds(3));
        }
    }

    @Nested
    class WhenNoNodeWasUp {

        private final Instant fourHoursLater = NOON.plus(Duration.ofHours(4)).plusSeconds(600);

        @Test
        void leavesOutAllWithSkip() {
            ScheduleRun run = decide("@hourly", Misfire.SKIP, NOON, fourHoursLater);
            assertThat(run.fireAts()).isEmpty();
            assertThat(run.missed()).isEqualTo(5);
            assertThat(run.next()).isEqualTo(NOON.plus(Duration.ofHours(5)));
        }

        @Test
        void firesWhatIsDueJustNowEvenWithSkip() {
            ScheduleRun run = decide("@hourly", Misfire.SKIP, NOON, NOON.plus(Duration.ofHours(4)));
            assertThat(run.fireAts()).containsExactly(NOON.plus(Duration.ofHours(4)));
            assertThat(run.missed()).isEqualTo(4);
        }

        @Test
        void firesTheLatestWithOnce() {
            ScheduleRun run = decide("@hourly", Misfire.ONCE, NOON, fourHoursLater);
            assertThat(run.fireAts()).containsExactly(NOON.plus(Duration.ofHours(4)));
            assertThat(run.missed()).isEqualTo(4);
        }

        @Test
        void firesEachWithAll() {
            ScheduleRun run = decide("@hourly", Misfire.ALL, NOON, fourHoursLater);
            assertThat(run.fireAts()).hasSize(5).startsWith(NOON);
            assertThat(run.missed()).isZero();
        }

        @Test
        void firesTheLatestHundredWithAll() {
            ScheduleRun run = decide("* * * * *", Misfire.ALL, NOON, NOON.plus(Duration.ofHours(4)));
            assertThat(run.fireAts()).hasSize(100).endsWith(NOON.plus(Duration.ofHours(4)));
            assertThat(run.missed()).isEqualTo(141);
        }
    }

    @Test
    void plansAScheduleThatIsNewFromWhereItCounts() {
        ScheduleRun run = decide("@hourly", Misfire.ONCE, null, NOON.plusSeconds(1));
        assertThat(run.next()).isEqualTo(NOON.plus(Duration.ofHours(1)));
        assertThat(run.fireAts()).isEmpty();
    }

    @Test
    void reportsAnExpressionThatNobodyCanRead() {
        ScheduleRun run = decide("61 * * * *", Misfire.ONCE, NOON, NOON);
        assertThat(run.problem()).contains("minute '61'");
        assertThat(run.fireAts()).isEmpty();
    }
}
