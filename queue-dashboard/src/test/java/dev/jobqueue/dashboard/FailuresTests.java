package dev.jobqueue.dashboard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.jobqueue.InvalidJobException;
import dev.jobqueue.JobNotFoundException;
import java.sql.SQLException;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.jdbc.BadSqlGrammarException;
import org.springframework.jdbc.UncategorizedSQLException;
import org.springframework.transaction.CannotCreateTransactionException;

class FailuresTests {

    static Stream<Arguments> failures() {
        return Stream.of(
                arguments(Refusal.forbidden("no"), 403, "no"),
                arguments(new JobNotFoundException("no job has it", null), 404, "no job has it"),
                arguments(new InvalidJobException("priority is bad"), 422, "priority is bad"),
                arguments(
                        new BadSqlGrammarException("x", "SELECT secret", new SQLException("denied", "42501")),
                        403,
                        "queue_operator"),
                arguments(new DataAccessResourceFailureException("gone"), 503, "The database does not answer"),
                arguments(
                        new UncategorizedSQLException("x", "SELECT secret", new SQLException("timeout")),
                        503,
                        "The database does not answer"),
                arguments(new CannotCreateTransactionException("gone"), 503, "The database does not answer"),
                arguments(new DataIntegrityViolationException("secret"), 500, "The log of the application tells why"),
                arguments(new IllegalStateException("secret"), 500, "The log of the application tells why"));
    }

    @ParameterizedTest
    @MethodSource("failures")
    void areToldWithoutWhatIsNobodysBusiness(RuntimeException ex, int status, String text) {
        Refusal refusal = Failures.refusal(ex, "GET /api/x");
        assertThat(refusal.status().value()).isEqualTo(status);
        assertThat(refusal.text()).contains(text).doesNotContain("secret");
    }
}
