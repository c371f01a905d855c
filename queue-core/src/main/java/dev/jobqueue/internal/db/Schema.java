package dev.jobqueue.internal.db;

import dev.jobqueue.InvalidJobException;
import java.nio.charset.StandardCharsets;

/**
 * The database schema that holds the queue.
 *
 * @param name its name, unquoted
 */
public record Schema(String name) {

    /** PostgreSQL would cut a longer identifier silently. */
    private static final int MAX_BYTES = 63;

    public Schema {
        if (name.isBlank() || name.indexOf('\0') >= 0 || name.getBytes(StandardCharsets.UTF_8).length > MAX_BYTES) {
            throw new InvalidJobException("schema '%s' must be 1 to %d bytes long".formatted(name, MAX_BYTES));
        }
    }

    public String qualified(String call) {
        return quotedName() + "." + call;
    }

    /** The name as an SQL identifier. */
    public String quotedName() {
        return '"' + name.replace("\"", "\"\"") + '"';
    }
}
