package dev.jobqueue.internal.operate;

import dev.jobqueue.internal.db.Sql;
import dev.jobqueue.operate.AuditAction;
import dev.jobqueue.operate.AuditEntry;
import java.sql.Types;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The calls that keep what people did. */
public final class AuditCalls {

    private final Sql sql;

    public AuditCalls(Sql sql) {
        this.sql = sql;
    }

    long record(AuditAction action) {
        return sql.queryOne(
                sql.call("record_action(?, ?, ?, ?::jsonb, ?, ?::jsonb)"),
                statement -> {
                    statement.setString(1, action.actor());
                    statement.setString(2, action.action());
                    statement.setString(3, action.target());
                    statement.setString(4, action.filter());
                    statement.setLong(5, action.jobs());
                    statement.setString(6, action.undo());
                },
                results -> results.getLong(1));
    }

    void add(long id, long jobs) {
        sql.run(sql.call("add_to_action(?, ?)"), statement -> {
            statement.setLong(1, id);
            statement.setLong(2, jobs);
        });
    }

    List<AuditEntry> find(@Nullable Long before, int limit) {
        return sql.query(
                sql.call("find_actions(?, ?)"),
                statement -> {
                    statement.setObject(1, before, Types.BIGINT);
                    statement.setInt(2, limit);
                },
                results -> new AuditEntry(
                        results.getLong("id"),
                        Columns.time(results, "at"),
                        results.getString("actor"),
                        results.getString("action"),
                        results.getString("target"),
                        results.getString("filter"),
                        results.getLong("jobs"),
                        results.getBoolean("can_undo"),
                        Columns.timeOrNull(results, "undone_at"),
                        results.getString("undone_by")));
    }

    AuditAction undo(long id, String actor) {
        return sql.queryOne(
                sql.call("undo_action(?, ?)"),
                statement -> {
                    statement.setLong(1, id);
                    statement.setString(2, actor);
                },
                results -> new AuditAction(
                        actor,
                        results.getString("action"),
                        results.getString("target"),
                        null,
                        0,
                        results.getString("undo")));
    }
}
