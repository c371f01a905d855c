package dev.jobqueue.internal.node;

import java.sql.Connection;
import java.sql.SQLException;

/** Opens a connection outside of any pool, to be kept for long. */
@FunctionalInterface
public interface ConnectionFactory {

    Connection connect() throws SQLException;
}
