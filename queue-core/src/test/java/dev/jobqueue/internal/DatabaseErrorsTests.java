package dev.jobqueue.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DatabaseErrorsTests {

    private static Throwable thrown(String state) {
        return new IllegalStateException(new RuntimeException(new SQLException("told", state)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"08006", "25006", "28P01", "42501", "42883", "53100", "53300", "57P01", "58030"})
    void callADatabaseThatDoesNotWorkAway(String state) {
        assertThat(DatabaseErrors.isAway(thrown(state))).isTrue();
        assertThat(DatabaseErrors.isBusy(thrown(state))).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"25006", "28P01", "3D000", "42501", "42883"})
    void callWhatTheServerDoesNotAllowARefusal(String state) {
        assertThat(DatabaseErrors.isRefusal(thrown(state))).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"08006", "53100", "53300", "57P01", "58030"})
    void callWhatTheServerCannotDoNoRefusal(String state) {
        assertThat(DatabaseErrors.isRefusal(thrown(state))).isFalse();
        assertThat(DatabaseErrors.isUnreachable(thrown(state))).isTrue();
    }

    @Test
    void tellAFullQueueOfNotificationsFromALimitOfAJob() {
        SQLException full = new SQLException("ERROR: too many notifications in the NOTIFY queue", "54000");
        SQLException large = new SQLException("ERROR: array size exceeds the maximum allowed (1073741823)", "54000");

        assertThat(DatabaseErrors.isAway(new IllegalStateException(full))).isTrue();
        assertThat(DatabaseErrors.isAway(new IllegalStateException(large))).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"40001", "40P01", "55P03", "57014"})
    void callWhatMaySucceedLaterBusy(String state) {
        assertThat(DatabaseErrors.isAway(thrown(state))).isFalse();
        assertThat(DatabaseErrors.isBusy(thrown(state))).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"22003", "23505", "P0001", "XX001", "JQ422"})
    void leaveOtherErrorsToWhoeverCausedThem(String state) {
        assertThat(DatabaseErrors.isAway(thrown(state))).isFalse();
        assertThat(DatabaseErrors.isBusy(thrown(state))).isFalse();
    }

    @Test
    void takeAPoolWithoutConnectionsForADatabaseThatIsAway() {
        assertThat(DatabaseErrors.isAway(new SQLTransientConnectionException("timed out")))
                .isTrue();
        assertThat(DatabaseErrors.isAway(new SQLException("closed"))).isTrue();
    }

    @Test
    void areNotSeenWhereThereIsNone() {
        assertThat(DatabaseErrors.isAway(new ArithmeticException("long overflow")))
                .isFalse();
        assertThat(DatabaseErrors.isLocked(thrown("55P03"))).isTrue();
    }
}
