package dev.jobqueue.internal.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.jobqueue.InvalidJobException;
import dev.jobqueue.JobNotFoundException;
import dev.jobqueue.schedule.JobSchedule.Misfire;
import dev.jobqueue.schedule.JobSchedule.Overlap;
import dev.jobqueue.schedule.Schedule.Origin;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The SQL functions of schedules. */
class ScheduleIntegrationTests {

    private static final ScheduleDatabase database = new ScheduleDatabase();

    private static NewSchedule defined(String name, Origin origin, String owner) {
        return ScheduleDatabase.schedule(name, "@daily", null, "{}", Misfire.ONCE, Overlap.ALLOW, origin, owner);
    }

    private static String value(String column, String name) {
        return database.jdbc
                .sql("SELECT (" + column + ")::text FROM queue.schedule WHERE name = ?")
                .param(name)
                .query(String.class)
                .optional()
                .orElse(null);
    }

    @Nested
    class Set {

        @Test
        void tellsWhetherAnythingChanged() {
            assertThat(database.set("set-twice", "@daily")).isTrue();
            assertThat(database.set("set-twice", "@daily")).isFalse();
            assertThat(database.set("set-twice", "@hourly")).isTrue();
        }

        @Test
        void keepsTheNextRunUnlessTheTimingChanges() {
            database.set("kept", "@daily");
            database.wasDue("kept", Duration.ofMinutes(5));
            Instant due = database.find("kept").nextRunAt();
            database.set("kept", "@daily", Misfire.ALL, Overlap.SKIP);
            assertThat(database.find("kept").nextRunAt()).isEqualTo(due);
            database.set("kept", "@hourly", Misfire.ALL, Overlap.SKIP);
            assertThat(database.find("kept").nextRunAt()).isNull();
        }

        @Test
        void leavesAPausedOnePaused() {
            database.set("stays-paused", "@daily");
            database.schedules.pause("stays-paused");
            database.set("stays-paused", "@hourly");
            assertThat(database.find("stays-paused").paused()).isTrue();
            assertThat(value("active", "stays-paused")).isEqualTo("false");
        }

        @Test
        void refusesToChangeWhatCodeDefines() {
            database.schedules.set(defined("of-the-shop", Origin.CODE, "shop"));
            assertThatThrownBy(() -> database.set("of-the-shop", "@hourly"))
                    .isInstanceOf(InvalidJobException.class)
                    .hasMessageContaining("the code of 'shop' defines");
            assertThat(database.find("of-the-shop").cron()).isEqualTo("@daily");
        }

        @ParameterizedTest
        @CsvSource(
                delimiter = '|',
                value = {
                    "cron => '* * *' | cron is",
                    "cron => '@daily', every => '1 hour' | cron is",
                    "cron => NULL | cron is null",
                    "every => '10 ms' | every is",
                    "cron => '@daily', misfire => 'SOMETIMES' | misfire is",
                    "cron => '@daily', overlap => NULL | overlap is null",
                    "cron => '@daily', payload => '{' | payload is",
                    "cron => '@daily', headers => '[]' | headers is",
                    "cron => '@daily', max_attempts => 0 | max_attempts is",
                    "cron => '@daily', timeout => '-1 s' | timeout is",
                    "cron => '@daily', queue => ' ' | queue is",
                    "cron => '@daily', zone => '' | zone is"
                })
        void refusesWhatIsWrongAndNamesIt(String arguments, String message) {
            assertThatThrownBy(() -> database.jdbc
                            .sql("SELECT queue.set_schedule('wrong', 'tick', " + arguments + ")")
                            .query()
                            .singleValue())
                    .rootCause()
                    .isInstanceOfSatisfying(
                            SQLException.class,
                            ex -> assertThat(ex.getSQLState()).isEqualTo("JQ422"))
                    .hasMessageContaining(message);
            assertThat(value("name", "wrong")).isNull();
        }
    }

    @Nested
    class PauseResumeDelete {

        @Test
        void countsFromTheResumeOn() {
            database.set("resumed", "@daily");
            database.wasDue("resumed", Duration.ofDays(3));
            database.schedules.pause("resumed");
            database.schedules.resume("resumed");
            assertThat(database.find("resumed").nextRunAt()).isNull();
            assertThat(value("counted_from > clock_timestamp() - interval '1 minute'", "resumed"))
                    .isEqualTo("true");
        }

        @Test
        void changesNothingWhenResumedWithoutAPause() {
            database.set("running", "@daily");
            database.wasDue("running", Duration.ofDays(3));
            database.schedules.resume("running");
            assertThat(database.find("running").nextRunAt()).isNotNull();
        }

        @Test
        void saysWhenThereIsNoSuchSchedule() {
            assertThatThrownBy(() -> database.schedules.pause("nobody")).isInstanceOf(JobNotFoundException.class);
            assertThatThrownBy(() -> database.schedules.resume("nobody")).isInstanceOf(JobNotFoundException.class);
            assertThatThrownBy(() -> database.schedules.runNow("nobody"))
                    .isInstanceOf(JobNotFoundException.class)
                    .hasMessageContaining("'nobody'");
            assertThat(database.schedules.delete("nobody")).isFalse();
        }

        @Test
        void deletesForGood() {
            database.set("deleted", "@daily");
            assertThat(database.schedules.delete("deleted")).isTrue();
            assertThat(database.schedules.find("deleted")).isEmpty();
        }
    }

    @Nested
    class RunNow {

        @Test
        void publishesThoughPausedAndLeavesTheNextRunAlone() {
            database.set("now", "@daily");
            database.wasDue("now", Duration.ofDays(1));
            Instant due = database.find("now").nextRunAt();
            database.schedules.pause("now");
            UUID id = database.schedules.runNow("now");
            assertThat(database.firedTimes("now")).hasSize(1);
            assertThat(database.find("now").lastJobId()).isEqualTo(id);
            assertThat(database.find("now").nextRunAt()).isEqualTo(due);
        }
    }

    @Nested
    class Retire {

        @Test
        void takesOnlyWhatTheOwnerDefinedAndDefinesNoMore() {
            database.schedules.set(defined("still-there", Origin.CODE, "billing"));
            database.schedules.set(defined("vanished", Origin.CONFIG, "billing"));
            database.jdbc
                    .sql("UPDATE queue.schedule SET next_run_at = now() + interval '1 hour' WHERE name = 'vanished'")
                    .update();
            database.schedules.set(defined("of-another", Origin.CODE, "warehouse"));
            database.set("by-hand", "@daily");
            assertThat(database.schedules.retire("billing", List.of("still-there")))
                    .containsExactly("vanished");
            assertThat(database.schedules.retire("billing", List.of("still-there")))
                    .isEmpty();
            assertThat(database.find("vanished").retired()).isTrue();
            assertThat(database.find("vanished").nextRunAt()).isNull();
            assertThat(List.of("still-there", "of-another", "by-hand"))
                    .allSatisfy(
                            name -> assertThat(database.find(name).retired()).isFalse());
        }

        @Test
        void isUndoneWhenItIsSetAgain() {
            database.schedules.set(defined("comes-back", Origin.CODE, "mailer"));
            database.schedules.retire("mailer", List.of());
            assertThat(database.schedules.set(defined("comes-back", Origin.CODE, "mailer")))
                    .isTrue();
            assertThat(database.find("comes-back").retired()).isFalse();
        }
    }

    @Nested
    class WhenNodesCompete {

        @Test
        void givesADueScheduleToOneNodeAndToTheNextIfThatOneDies() throws SQLException {
            database.set("contended", "@daily");
            database.wasDue("contended", Duration.ofSeconds(1));
            Connection first = database.connect();
            first.setAutoCommit(false);
            assertThat(due(first)).isEqualTo("contended");
            try (Connection second = database.connect()) {
                assertThat(due(second)).isNull();
                first.abort(Runnable::run);
                await().untilAsserted(() -> assertThat(due(second)).isEqualTo("contended"));
            }
        }

        @Test
        void changesNothingForWhoeverPlannedWithAnOlderTime() {
            database.set("raced", "@daily");
            database.wasDue("raced", Duration.ofSeconds(1));
            String fire = "SELECT count(*) FROM queue.fire_schedules(ARRAY['raced'], ARRAY[?::timestamptz],"
                    + " ARRAY[now() + interval '1 day'], ARRAY[0], ARRAY[NULL::text], ARRAY['raced'], ARRAY[now()])";
            String planned = value("next_run_at", "raced");
            assertThat(database.jdbc.sql(fire).param(planned).query(Long.class).single())
                    .isEqualTo(1);
            assertThat(database.jdbc.sql(fire).param(planned).query(Long.class).single())
                    .isZero();
            assertThat(database.find("raced").fired()).isEqualTo(1);
            assertThat(database.firedTimes("raced")).hasSize(1);
        }

        private static String due(Connection connection) throws SQLException {
            try (Statement statement = connection.createStatement();
                    ResultSet results = statement.executeQuery(
                            "SELECT name FROM queue.due_schedules(10) WHERE name = 'contended'")) {
                return results.next() ? results.getString(1) : null;
            }
        }
    }
}
