package dev.jobqueue.internal.store;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.sql.Array;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.Oid;
import org.postgresql.jdbc.PgArray;
import org.postgresql.jdbc.PreferQueryMode;

/** Arrays in the binary form of the server, of types that the driver writes as text: reading that costs it half a microsecond each. */
final class BinaryArrays {

    private static final int HEADER_BYTES = 5 * Integer.BYTES;

    private BinaryArrays() {}

    /** {@code null} if there is no such form of the values here, or the connection does not take it. */
    static @Nullable Array arrayOf(Connection connection, String type, @Nullable Object[] values) throws SQLException {
        int arrayType = arrayType(type);
        if (arrayType == Oid.UNSPECIFIED || !connection.isWrapperFor(BaseConnection.class)) {
            return null;
        }
        BaseConnection driver = connection.unwrap(BaseConnection.class);
        byte[] bytes = driver.getPreferQueryMode() == PreferQueryMode.SIMPLE ? null : bytes(type, values);
        return bytes == null ? null : new PgArray(driver, arrayType, bytes);
    }

    private static int arrayType(String type) {
        return switch (type) {
            case "uuid" -> Oid.UUID_ARRAY;
            case "json" -> Oid.JSON_ARRAY;
            default -> Oid.UNSPECIFIED;
        };
    }

    private static byte @Nullable [] bytes(String type, @Nullable Object[] values) {
        byte[][] elements = new byte[values.length][];
        int size = HEADER_BYTES;
        for (int i = 0; i < values.length; i++) {
            Object value = values[i];
            if (value == null) {
                return null;
            }
            elements[i] =
                    value instanceof UUID id ? bytes(id) : value.toString().getBytes(StandardCharsets.UTF_8);
            size += Integer.BYTES + elements[i].length;
        }
        ByteBuffer buffer = ByteBuffer.allocate(size);
        buffer.putInt(1); // one dimension
        buffer.putInt(0); // no nulls
        buffer.putInt(type.equals("uuid") ? Oid.UUID : Oid.JSON);
        buffer.putInt(values.length);
        buffer.putInt(1); // the first index
        for (byte[] element : elements) {
            buffer.putInt(element.length).put(element);
        }
        return buffer.array();
    }

    private static byte[] bytes(UUID id) {
        return ByteBuffer.allocate(2 * Long.BYTES)
                .putLong(id.getMostSignificantBits())
                .putLong(id.getLeastSignificantBits())
                .array();
    }
}
