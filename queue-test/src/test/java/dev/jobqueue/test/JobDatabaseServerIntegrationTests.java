package dev.jobqueue.test;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.postgres.TestDatabase;
import java.sql.Connection;
import java.sql.DriverManager;
import java.util.Map;
import org.junit.jupiter.api.Test;

class JobDatabaseServerIntegrationTests {

    @Test
    void isTheOneThatTheEnvironmentNames() throws Exception {
        TestDatabase given = TestDatabase.create();
        JobDatabaseServer server = JobDatabaseServer.choose(
                Map.of(
                        "QUEUE_TEST_JDBC_URL", given.jdbcUrl() + "?ApplicationName=tests",
                        "QUEUE_TEST_USERNAME", given.username(),
                        "QUEUE_TEST_PASSWORD", given.password()),
                "postgres:18");
        assertThat(server.url()).contains("/queue_test_").endsWith("?ApplicationName=tests");
        assertThat(server.url()).isNotEqualTo(given.jdbcUrl());
        try (Connection connection = DriverManager.getConnection(server.url(), server.username(), server.password())) {
            assertThat(connection.isValid(5)).isTrue();
        }
    }
}
