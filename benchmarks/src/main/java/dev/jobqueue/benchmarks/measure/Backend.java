package dev.jobqueue.benchmarks.measure;

import java.sql.Connection;
import java.sql.SQLException;
import org.postgresql.PGConnection;

/** The process of the server behind a connection. */
public final class Backend {

    private final int pid;

    private Backend(int pid) {
        this.pid = pid;
    }

    public static Backend of(Connection connection) throws SQLException {
        return new Backend(connection.unwrap(PGConnection.class).getBackendPID());
    }

    /** The processor time it has used so far, in microseconds. */
    public double micros() {
        return Proc.nanos(pid) / 1e3;
    }
}
