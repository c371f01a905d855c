package dev.jobqueue.internal.db;

import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.util.Collection;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Binds the columns of a batch as arrays; one that is {@code null} throughout is bound as {@code NULL}. */
public final class Arrays {

    private Arrays() {}

    public static <T> void bind(
            PreparedStatement statement,
            int index,
            String type,
            Collection<T> rows,
            Function<T, ? extends @Nullable Object> column)
            throws SQLException {
        @Nullable Object[] values = newArray(type, rows.size());
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
            statement.setArray(index, arrayOf(statement.getConnection(), type, values));
        }
    }

    private static Array arrayOf(Connection connection, String type, @Nullable Object[] values) throws SQLException {
        Array array = BinaryArrays.arrayOf(connection, type, values);
        return array != null ? array : connection.createArrayOf(type, values);
    }

    /**
     * Makes an array of the element's own class where the driver has a binary form for it, which is faster than text.
     */
    private static @Nullable Object[] newArray(String type, int length) {
        return switch (type) {
            case "text" -> new String[length];
            case "int8" -> new Long[length];
            case "int4" -> new Integer[length];
            default -> new Object[length];
        };
    }

    public static void bindTexts(PreparedStatement statement, int index, @Nullable Collection<String> texts)
            throws SQLException {
        if (texts == null) {
            statement.setNull(index, Types.ARRAY, "_text");
        } else {
            bind(statement, index, "text", texts, text -> text);
        }
    }
}
