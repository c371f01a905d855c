package dev.jobqueue.internal.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobqueue.InvalidJobException;
import dev.jobqueue.internal.schedule.Timetable.Due;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CronTests {

    /** The due times that follow, as local times with their offset. */
    private static List<String> times(String cron, String zone, String after, int count) {
        Timetable timetable = Timetable.of(cron, null, zone);
        List<String> times = new ArrayList<>();
        Instant time = ZonedDateTime.parse(after).toInstant();
        for (int i = 0; i < count; i++) {
            time = timetable.next(time);
            ZonedDateTime local = time.atZone(Timetable.zone(zone));
            times.add(local.toLocalDateTime() + local.getOffset().toString());
        }
        return times;
    }

    @Nested
    class WhenClocksGoForward {

        @Test
        void isDueAtTheFirstInstantAfterTheGapInBerlin() {
            assertThat(times("30 2 * * *", "Europe/Berlin", "2026-03-28T00:00:00+01:00", 3))
                    .containsExactly("2026-03-28T02:30+01:00", "2026-03-29T03:00+02:00", "2026-03-30T02:30+02:00");
        }

        @Test
        void isDueAtTheFirstInstantAfterTheGapInNewYork() {
            assertThat(times("0 15 2 * * *", "America/New_York", "2026-03-07T12:00:00-05:00", 2))
                    .containsExactly("2026-03-08T03:00-04:00", "2026-03-09T02:15-04:00");
        }

        @Test
        void isDueOnceForAllTimesInTheGapAndTheOneThatFollowsIt() {
            assertThat(times("*/20 2,3 * * *", "Europe/Berlin", "2026-03-28T23:00:00+01:00", 4))
                    .containsExactly(
                            "2026-03-29T03:00+02:00",
                            "2026-03-29T03:20+02:00",
                            "2026-03-29T03:40+02:00",
                            "2026-03-30T02:00+02:00");
        }

        @Test
        void isDueAtTheEndOfAGapOfHalfAnHour() {
            assertThat(times("10 2 * * *", "Australia/Lord_Howe", "2026-10-03T12:00:00+10:30", 2))
                    .containsExactly("2026-10-04T02:30+11:00", "2026-10-05T02:10+11:00");
        }

        @Test
        void goesByRealHoursWithAnExpressionForEveryHour() {
            assertThat(times("30 * * * *", "Europe/Berlin", "2026-03-29T00:45:00+01:00", 3))
                    .containsExactly("2026-03-29T01:30+01:00", "2026-03-29T03:30+02:00", "2026-03-29T04:30+02:00");
            assertThat(times("30 * * * *", "America/New_York", "2026-03-08T00:45:00-05:00", 3))
                    .containsExactly("2026-03-08T01:30-05:00", "2026-03-08T03:30-04:00", "2026-03-08T04:30-04:00");
        }
    }

    @Nested
    class WhenClocksGoBack {

        @Test
        void isDueTheFirstOfTwoTimesInBerlin() {
            assertThat(times("30 2 * * *", "Europe/Berlin", "2026-10-24T12:00:00+02:00", 2))
                    .containsExactly("2026-10-25T02:30+02:00", "2026-10-26T02:30+01:00");
        }

        @Test
        void isDueTheFirstOfTwoTimesInNewYork() {
            assertThat(times("0 15 1 * * *", "America/New_York", "2026-10-31T12:00:00-04:00", 2))
                    .containsExactly("2026-11-01T01:15-04:00", "2026-11-02T01:15-05:00");
        }

        @Test
        void isNotDueInTheSecondPassEvenIfCountedFromWithinIt() {
            assertThat(times("30 2 * * *", "Europe/Berlin", "2026-10-25T02:10:00+01:00", 1))
                    .containsExactly("2026-10-26T02:30+01:00");
        }

        @Test
        void isDueOnceForEachOfManyTimesInTheHourThatComesTwice() {
            assertThat(times("*/30 1-3 * * *", "Europe/Berlin", "2026-10-25T01:10:00+02:00", 5))
                    .containsExactly(
                            "2026-10-25T01:30+02:00",
                            "2026-10-25T02:00+02:00",
                            "2026-10-25T02:30+02:00",
                            "2026-10-25T03:00+01:00",
                            "2026-10-25T03:30+01:00");
        }

        @Test
        void goesByRealHoursWithAnExpressionForEveryHour() {
            assertThat(times("0 * * * *", "Europe/Berlin", "2026-10-25T01:30:00+02:00", 3))
                    .containsExactly("2026-10-25T02:00+02:00", "2026-10-25T02:00+01:00", "2026-10-25T03:00+01:00");
            assertThat(times("0 * * * *", "America/New_York", "2026-11-01T00:30:00-04:00", 3))
                    .containsExactly("2026-11-01T01:00-04:00", "2026-11-01T01:00-05:00", "2026-11-01T02:00-05:00");
        }
    }

    @Nested
    class Reads {

        @ParameterizedTest
        @CsvSource({
            "0 3 * * *,     2026-05-06T03:00Z",
            "0 0 3 * * *,   2026-05-06T03:00Z",
            "15 30 12 * * *, 2026-05-05T12:30:15Z",
            "0 0 L * *,     2026-05-31T00:00Z",
            "0 9 * * MON#1, 2026-06-01T09:00Z",
            "0 0 * * 7,     2026-05-10T00:00Z",
            "'  0   3  * *  * ', 2026-05-06T03:00Z",
            "@hourly,       2026-05-05T13:00Z",
            "@daily,        2026-05-06T00:00Z",
            "@midnight,     2026-05-06T00:00Z",
            "@Weekly,       2026-05-10T00:00Z",
            "@monthly,      2026-06-01T00:00Z",
            "@yearly,       2027-01-01T00:00Z",
            "@annually,     2027-01-01T00:00Z"
        })
        void fiveFieldsSixFieldsAndWords(String cron, String due) {
            assertThat(times(cron, "UTC", "2026-05-05T12:00:00Z", 1)).containsExactly(due);
        }

        @Test
        void aDayOfMonthAndADayOfWeekAsEitherInACrontab() {
            assertThat(times("0 0 13 * FRI", "UTC", "2026-03-06T12:00:00Z", 3))
                    .containsExactly("2026-03-13T00:00Z", "2026-03-20T00:00Z", "2026-03-27T00:00Z");
        }

        @Test
        void aDayOfMonthAndADayOfWeekAsBothInSixFields() {
            assertThat(times("0 0 0 13 * FRI", "UTC", "2026-03-06T12:00:00Z", 2))
                    .containsExactly("2026-03-13T00:00Z", "2026-11-13T00:00Z");
        }
    }

    @Nested
    class Refuses {

        @ParameterizedTest
        @CsvSource({
            "61 * * * *,    minute '61'",
            "* 24 * * *,    hour '24'",
            "* * 32 * *,    day of month '32'",
            "* * * 13 *,    month '13'",
            "* * * * 8,     day of week '8'",
            "70 * * * * *,  second '70'",
            "* * * x *,     month 'x'",
            "* * *,         must have five fields",
            "'',            must have five fields",
            "0 0 30 2 *,    never comes",
            "@often,        '@often'"
        })
        void whatIsWrongAndSaysWhich(String cron, String named) {
            assertThatThrownBy(() -> Timetable.of(cron, null, "UTC"))
                    .isInstanceOf(InvalidJobException.class)
                    .hasMessageContaining(named);
        }

        @Test
        void aZoneThatIsNone() {
            assertThatThrownBy(() -> Timetable.of("@daily", null, "Europe/Atlantis"))
                    .isInstanceOf(InvalidJobException.class)
                    .hasMessageContaining("zone is 'Europe/Atlantis'");
        }

        @Test
        void bothAnExpressionAndAnInterval() {
            assertThatThrownBy(() -> Timetable.of("@daily", Duration.ofHours(1), "UTC"))
                    .isInstanceOf(InvalidJobException.class);
        }
    }

    @Nested
    class CountsWhatIsDue {

        @Test
        void andGivesTheLatest() {
            Timetable timetable = Timetable.of("* * * * *", null, "UTC");
            Instant first = Instant.parse("2026-01-01T00:00:00Z");
            Due due = timetable.due(first, first.plusSeconds(600), 3);
            assertThat(due.count()).isEqualTo(11);
            assertThat(due.latest())
                    .containsExactly(first.plusSeconds(480), first.plusSeconds(540), first.plusSeconds(600));
        }

        @Test
        void andFindsTheLatestAfterAYearWithoutWalkingItAll() {
            Timetable timetable = Timetable.of("* * * * * *", null, "UTC");
            Instant first = Instant.parse("2025-01-01T00:00:00Z");
            Instant now = Instant.parse("2026-01-01T00:00:00.500Z");
            Due due = timetable.due(first, now, 100);
            assertThat(due.latest()).hasSize(100).endsWith(Instant.parse("2026-01-01T00:00:00Z"));
            assertThat(due.count()).isGreaterThanOrEqualTo(1_000);
        }

        @Test
        void ofAnIntervalWithoutDrift() {
            Timetable timetable = Timetable.of(null, Duration.ofSeconds(7), "UTC");
            Instant first = Instant.parse("2026-01-01T00:00:00Z");
            Due due = timetable.due(first, first.plusSeconds(7 * 1000 + 3), 2);
            assertThat(due.count()).isEqualTo(1001);
            assertThat(due.latest()).containsExactly(first.plusSeconds(7 * 999), first.plusSeconds(7 * 1000));
        }
    }
}
