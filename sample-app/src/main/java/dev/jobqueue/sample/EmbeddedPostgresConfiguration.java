package dev.jobqueue.sample;

import dev.jobqueue.postgres.EmbeddedServer;
import java.nio.file.Path;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

/** Starts a PostgreSQL of the sample's own, unless {@code spring.datasource.url} names one. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnProperty(name = "spring.datasource.url", matchIfMissing = true, havingValue = "embedded")
class EmbeddedPostgresConfiguration {

    @Bean
    EmbeddedServer embeddedServer(Environment environment) {
        String directory = environment.getProperty("sample.data-directory");
        return directory == null ? EmbeddedServer.start() : EmbeddedServer.start(Path.of(directory));
    }

    @Bean
    JdbcConnectionDetails embeddedConnectionDetails(EmbeddedServer server) {
        return new JdbcConnectionDetails() {
            @Override
            public String getJdbcUrl() {
                return server.jdbcUrl("postgres");
            }

            @Override
            public String getUsername() {
                return server.username();
            }

            @Override
            public String getPassword() {
                return "";
            }
        };
    }
}
