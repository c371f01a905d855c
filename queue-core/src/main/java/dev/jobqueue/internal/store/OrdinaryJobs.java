package dev.jobqueue.internal.store;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.util.List;

/** Inserts ordinary jobs into the table itself: the functions have nothing to look at in them, and their defaults are its own. */
final class OrdinaryJobs {

    /** From so many on, a COPY is worth its further trip to the server. */
    private static final int MANY = 100;

    private static final String COLUMNS = " (id, type, payload, queue, priority, headers) ";

    private final Sql sql;
    private final String insertOne;
    private final String insertSome;
    private final String copyMany;

    OrdinaryJobs(Sql sql) {
        String table = sql.schema().qualified("job");
        this.sql = sql;
        this.insertOne = "INSERT INTO " + table + COLUMNS + "VALUES (?, ?, ?, ?, ?, ?)";
        // unnest in the select list, and not in FROM, where each array would be stored once more
        this.insertSome = "INSERT INTO " + table + COLUMNS + "SELECT id, type, payload, coalesce(queue, 'default'),"
                + " coalesce(priority, 0), coalesce(headers, '{}') FROM (SELECT unnest(?::uuid[]) AS id,"
                + " unnest(?::text[]) AS type, unnest(?::text[])::json AS payload, unnest(?::text[]) AS queue,"
                + " unnest(?::int4[]) AS priority, unnest(?::text[])::jsonb AS headers) AS given";
        this.copyMany = "COPY " + table + COLUMNS + "FROM STDIN (FORMAT binary)";
    }

    /**
     * Inserts all of the jobs or none.
     *
     * @return false if some are not ordinary, or the connection cannot: none is inserted then
     */
    boolean insert(List<NewJob> jobs) {
        if (!jobs.stream().allMatch(NewJob::isOrdinary)) {
            return false;
        }
        if (jobs.size() >= MANY) {
            return sql.copy(copyMany, copy -> JobCopy.write(jobs, copy));
        }
        if (jobs.size() == 1) {
            sql.insert(insertOne, statement -> bind(statement, jobs.get(0)));
        } else {
            sql.insert(insertSome, statement -> Publications.bindPlain(statement, jobs));
        }
        return true;
    }

    private static void bind(PreparedStatement statement, NewJob job) throws SQLException {
        statement.setObject(1, job.id());
        statement.setString(2, job.type());
        // not as texts, which the server would have to convert
        statement.setObject(3, job.payload(), Types.OTHER);
        statement.setString(4, job.queueName());
        statement.setInt(5, job.priority());
        statement.setObject(6, job.headersOrNone(), Types.OTHER);
    }
}
