package dev.jobqueue.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.ConnectException;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.CannotGetJdbcConnectionException;

class ErrorsTests {

    @Test
    void describesTypeMessageAndCauses() {
        Exception cause = new IllegalStateException("the reason");
        assertThat(Errors.describe(new IllegalArgumentException("what happened", cause)))
                .startsWith("java.lang.IllegalArgumentException: what happened\n\tat ")
                .contains("\nCaused by: java.lang.IllegalStateException: the reason\n\tat ");
    }

    @Test
    void namesTheTypeOfAnExceptionWhoseMessageOverflowsTheStack() {
        assertThat(Errors.describe(new Overflowing(false)))
                .startsWith(
                        Overflowing.class.getName() + ": (its message could not be read: java.lang.StackOverflowError)")
                .contains("\n\tat ");
    }

    @Test
    void leavesOutWhatAnExceptionCannotTell() {
        assertThat(Errors.describe(new Overflowing(true))).startsWith(Overflowing.class.getName() + ": (its message");
    }

    @Test
    void givesTheInnermostWordsOfTheDatabaseAsTheReason() {
        SQLException refused = new SQLException("Connection to db:5432 refused.", new ConnectException("refused"));
        SQLException pool = new SQLTransientConnectionException("pool - Connection is not available", refused);

        assertThat(Errors.reason(new CannotGetJdbcConnectionException("Failed to obtain JDBC Connection", pool)))
                .isEqualTo("Connection to db:5432 refused.");
    }

    @Test
    void givesTheRootCauseAsTheReasonWhereTheDatabaseSaidNothing() {
        assertThat(Errors.reason(new IllegalStateException(new OutOfMemoryError("heap"))))
                .isEqualTo("java.lang.OutOfMemoryError: heap");
        assertThat(Errors.reason(new SQLException())).isEqualTo("java.sql.SQLException");
    }

    @Test
    void endsWhereCausesGoInACircle() {
        Exception one = new IllegalStateException("one");
        Exception two = new IllegalStateException("two", one);
        one.initCause(two);
        assertThat(Errors.describe(one).split("\nCaused by: ")).hasSize(5);
    }

    /** Calls itself in whatever it is asked. */
    private static final class Overflowing extends RuntimeException {

        private static final long serialVersionUID = 1L;

        private final boolean everything;

        Overflowing(boolean everything) {
            super("told");
            this.everything = everything;
        }

        @Override
        @SuppressWarnings("InfiniteRecursion")
        public String getMessage() {
            return getMessage() + ".";
        }

        @Override
        public synchronized Throwable getCause() {
            if (everything) {
                throw new OutOfMemoryError("no cause");
            }
            return super.getCause();
        }

        @Override
        public StackTraceElement[] getStackTrace() {
            return everything ? null : super.getStackTrace();
        }
    }
}
