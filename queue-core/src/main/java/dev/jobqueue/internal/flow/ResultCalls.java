package dev.jobqueue.internal.flow;

import dev.jobqueue.internal.db.Arrays;
import dev.jobqueue.internal.db.Sql;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Reads what the steps of a flow returned. */
public final class ResultCalls {

    private final Sql sql;
    private final String results;

    /**
     * @param sql joins the transaction of a handler, which must not wait for a second connection
     */
    public ResultCalls(Sql sql) {
        this.sql = sql;
        this.results = "SELECT called::text FROM " + sql.schema().qualified("step_results(?, ?) AS called");
    }

    /** The results by name, as a JSON object; {@code null} if the job is not a step of a flow. */
    public @Nullable String of(UUID job, List<String> names) {
        return sql.query(
                        results,
                        statement -> {
                            statement.setObject(1, job);
                            Arrays.bindTexts(statement, 2, names);
                        },
                        rows -> Optional.ofNullable(rows.getString(1)))
                .get(0)
                .orElse(null);
    }
}
