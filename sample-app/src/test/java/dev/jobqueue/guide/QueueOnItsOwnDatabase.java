package dev.jobqueue.guide;

import com.zaxxer.hikari.HikariDataSource;
import dev.jobqueue.autoconfigure.QueueDataSource;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.jdbc.DataSourceBuilder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Profile;

@Profile("two-databases")
// snippet: data-source
@Configuration(proxyBeanMethods = false)
class QueueOnItsOwnDatabase {

    @Bean(defaultCandidate = false) // the application's own stays the default
    @QueueDataSource
    HikariDataSource queueDataSource(
            @Value("${jobs.url}") String url,
            @Value("${jobs.username}") String username,
            @Value("${jobs.password}") String password) {
        return DataSourceBuilder.create()
                .type(HikariDataSource.class)
                .url(url)
                .username(username)
                .password(password)
                .build();
    }
}
// end
