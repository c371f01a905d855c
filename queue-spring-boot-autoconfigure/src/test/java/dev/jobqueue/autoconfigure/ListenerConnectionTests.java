package dev.jobqueue.autoconfigure;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.zaxxer.hikari.HikariDataSource;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class ListenerConnectionTests {

    /** The kernel accepts, and nobody ever answers; without a timeout of its own the driver would wait for ever. */
    @Test
    @Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void isGivenUpWhenTheServerSaysNothing() throws IOException {
        try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
                HikariDataSource pool = new HikariDataSource()) {
            pool.setJdbcUrl("jdbc:postgresql://localhost:" + silent.getLocalPort() + "/none?sslmode=disable");
            pool.setUsername("nobody");
            assertThatExceptionOfType(SQLException.class)
                    .isThrownBy(() ->
                            QueueWorkerConfiguration.listenerConnections(pool).getConnection());
        }
    }
}
