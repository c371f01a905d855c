package dev.jobqueue.internal.store;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.util.Collection;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Binds the columns of a batch as arrays; one that is {@code null} throughout is bound as {@code NULL}. */
final class Arrays {

    private Arrays() {}

    static <T> void bind(
            PreparedStatement statement,
            int index,
            String type,
            Collection<T> rows,
            Function<T, ? extends @Nullable Object> column)
            throws SQLException {
        @Nullable Object[] values = new Object[rows.size()];
        boolean empty = !rows.isEmpty();
        int i = 0;
        for (T row : rows) {
            Object value = column.apply(row);
            empty &= value == null;
            values[i++] = value;
        }
        if (empty) {
            statement.setNull(index, Types.ARRAY, "_" + type);
        } else {
            statement.setArray(index, statement.getConnection().createArrayOf(type, values));
        }
    }

    static void bindClaims(PreparedStatement statement, int index, Collection<Claim> claims) throws SQLException {
        bind(statement, index, "uuid", claims, Claim::id);
        bind(statement, index + 1, "int8", claims, Claim::lease);
    }

    static void bindTexts(PreparedStatement statement, int index, @Nullable Collection<String> texts)
            throws SQLException {
        if (texts == null) {
            statement.setNull(index, Types.ARRAY, "_text");
        } else {
            bind(statement, index, "text", texts, text -> text);
        }
    }
}
