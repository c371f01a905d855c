package dev.jobqueue.internal.store;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.util.List;
import java.util.StringJoiner;

/** Inserts ordinary jobs into the table itself: the functions have nothing to look at in them, and their defaults are its own. */
final class OrdinaryJobs {

    /** From so many on, a COPY is worth its further trip to the server. */
    private static final int MANY = 200;

    private final Sql sql;
    private final Statements brief;
    private final Statements whole;

    OrdinaryJobs(Sql sql) {
        String table = sql.schema().qualified("job");
        this.sql = sql;
        this.brief = Statements.of(table, "id, type, payload", "uuid", "text", "json");
        this.whole = Statements.of(
                table, "id, type, payload, queue, priority, headers", "uuid", "text", "json", "text", "int4", "jsonb");
    }

    /**
     * Inserts all of the jobs or none.
     *
     * @return false if some are not ordinary, or the connection cannot: none is inserted then
     */
    boolean insert(List<NewJob> jobs) {
        boolean isWhole = false;
        for (NewJob job : jobs) {
            if (!job.isOrdinary()) {
                return false;
            }
            isWhole |= !job.hasDefaults();
        }
        return insert(jobs, isWhole);
    }

    private boolean insert(List<NewJob> jobs, boolean isWhole) {
        Statements statements = isWhole ? whole : brief;
        if (jobs.size() >= MANY) {
            return sql.copy(statements.many, copy -> JobCopy.write(jobs, isWhole, copy));
        }
        if (jobs.size() == 1) {
            sql.insert(statements.one, statement -> bind(statement, jobs.get(0), isWhole));
        } else {
            sql.insert(statements.some, statement -> bind(statement, jobs, isWhole));
        }
        return true;
    }

    private static void bind(PreparedStatement statement, NewJob job, boolean isWhole) throws SQLException {
        statement.setObject(1, job.id());
        statement.setString(2, job.type());
        // not as texts, which the server would have to convert
        statement.setObject(3, job.payload(), Types.OTHER);
        if (isWhole) {
            statement.setString(4, job.queueName());
            statement.setInt(5, job.priority());
            statement.setObject(6, job.headers(), Types.OTHER);
        }
    }

    private static void bind(PreparedStatement statement, List<NewJob> jobs, boolean isWhole) throws SQLException {
        Arrays.bind(statement, 1, "uuid", jobs, NewJob::id);
        Arrays.bind(statement, 2, "text", jobs, NewJob::type);
        Arrays.bind(statement, 3, "json", jobs, NewJob::payload);
        if (isWhole) {
            Arrays.bind(statement, 4, "text", jobs, NewJob::queueName);
            Arrays.bind(statement, 5, "int4", jobs, NewJob::priority);
            Arrays.bind(statement, 6, "jsonb", jobs, NewJob::headers);
        }
    }

    /** For one job, some and many: all with the same columns, the table has the defaults of the others. */
    private record Statements(String one, String some, String many) {

        static Statements of(String table, String columns, String... types) {
            String into = table + " (" + columns + ") ";
            StringJoiner values = new StringJoiner(", ", "VALUES (", ")");
            // in the select list, and not in FROM, where each array would be stored once more
            StringJoiner rows = new StringJoiner(", ", "SELECT ", "");
            for (String type : types) {
                values.add("?");
                rows.add("unnest(?::" + type + "[])");
            }
            return new Statements(
                    "INSERT INTO " + into + values,
                    "INSERT INTO " + into + rows,
                    "COPY " + into + "FROM STDIN (FORMAT binary)");
        }
    }
}
