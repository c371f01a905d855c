package dev.jobqueue.internal.migrate;

import dev.jobqueue.internal.db.Database;
import dev.jobqueue.internal.db.Schema;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import javax.sql.DataSource;

/**
 * Checks whether the role of a node may call the functions that the node needs. Done at start, in one query, so that a
 * missing right does not show only when the node works.
 */
public final class FunctionRights {

    /** What every node needs that publishes. */
    public static final Set<String> OF_PUBLISHERS = Set.of("publish_many", "publish_with_outcome");

    /** What every node needs that handles jobs, whatever its handlers do. */
    public static final Set<String> OF_WORKERS = Set.of(
            "cancel",
            "claim",
            "complete",
            "complete_many",
            "confirm",
            "due_schedules",
            "extend",
            "fail_many",
            "fire_schedules",
            "heartbeat",
            "log",
            "measure",
            "next_rescue",
            "next_schedule",
            "nodes",
            "progress",
            "promote",
            "prune",
            "publish_many",
            "publish_with_outcome",
            "rate_limited",
            "release",
            "rescue",
            "resolve",
            "retire_schedules",
            "save_step",
            "snooze",
            "step_results",
            "unhandled",
            "unregister");

    private static final String MISSING = """
            SELECT quote_ident(current_user), array(
                SELECT DISTINCT proname::text FROM pg_proc
                WHERE pronamespace = to_regnamespace(?) AND proname = ANY (?)
                    AND NOT has_function_privilege(oid, 'EXECUTE'))
            """;

    private final DataSource dataSource;
    private final Schema schema;

    public FunctionRights(Database database) {
        this.dataSource = database.dataSource();
        this.schema = database.schema();
    }

    /**
     * Fails if a need is not met.
     *
     * @throws SchemaException that names the functions, who needs them, and what to grant
     */
    public void require(Collection<Need> needs) {
        Set<String> functions =
                needs.stream().flatMap(need -> need.functions().stream()).collect(Collectors.toSet());
        Missing missing = missing(functions);
        List<Need> unmet = needs.stream()
                .filter(need -> need.functions().stream().anyMatch(missing.functions()::contains))
                .toList();
        if (unmet.isEmpty()) {
            return;
        }
        throw new SchemaException(
                unmet.stream()
                        .map(need -> "The role '%s' may not call %s, which %s."
                                .formatted(missing.role(), missing.among(need.functions()), need.why()))
                        .collect(Collectors.joining("\n")),
                unmet.stream()
                        .map(need -> "GRANT queue_worker TO %s, or %s.".formatted(missing.role(), need.otherwise()))
                        .distinct()
                        .collect(Collectors.joining("\n", "", "\n" + SchemaScript.howToMakeRoles())),
                null);
    }

    /** Which of the functions the role of this node may not call. */
    public Missing missing(Collection<String> functions) {
        try (Connection connection = dataSource.getConnection();
                PreparedStatement statement = connection.prepareStatement(MISSING)) {
            Array names = connection.createArrayOf("text", functions.toArray());
            statement.setString(1, schema.quotedName());
            statement.setArray(2, names);
            try (ResultSet results = statement.executeQuery()) {
                results.next();
                return new Missing(results.getString(1), new TreeSet<>(List.of((String[])
                        results.getArray(2).getArray())));
            }
        } catch (SQLException ex) {
            throw new IllegalStateException(
                    "The rights in the schema '%s' cannot be looked at: %s".formatted(schema.name(), ex.getMessage()),
                    ex);
        }
    }

    /**
     * What a node does, and the functions for it.
     *
     * @param why ends a sentence that begins with the functions: "which ..."
     * @param otherwise what to do instead of granting them
     */
    public record Need(Set<String> functions, String why, String otherwise) {}

    /**
     * Functions that a role may not call.
     *
     * @param role as it is written in SQL
     */
    public record Missing(String role, Set<String> functions) {

        private String among(Set<String> needed) {
            return functions.stream()
                    .filter(needed::contains)
                    .map(each -> "'" + each + "'")
                    .collect(Collectors.joining(", "));
        }
    }
}
