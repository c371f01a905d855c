package dev.jobqueue.test.shop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.postgres.TestDatabase;
import dev.jobqueue.test.JobTest;
import dev.jobqueue.test.JobTester;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.annotation.Bean;

/** The bean that {@code @ServiceConnection} makes of a container, without the container. */
@JobTest({Orders.class, Mailer.class, ShopHandlers.class})
class ConnectionDetailsIntegrationTests {

    @Autowired
    private JobTester jobs;

    @Autowired
    private Orders orders;

    @Test
    void areEnough() {
        orders.place("ada@example.org");
        jobs.drain();
        assertThat(jobs).completed("invoice.send").once();
    }

    @TestConfiguration(proxyBeanMethods = false)
    static class Connections {

        @Bean
        JdbcConnectionDetails database() {
            TestDatabase database = TestDatabase.create();
            return new JdbcConnectionDetails() {
                @Override
                public String getJdbcUrl() {
                    return database.jdbcUrl();
                }

                @Override
                public String getUsername() {
                    return database.username();
                }

                @Override
                public String getPassword() {
                    return database.password();
                }
            };
        }
    }
}
