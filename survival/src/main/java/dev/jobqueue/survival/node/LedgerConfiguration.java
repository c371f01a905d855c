package dev.jobqueue.survival.node;

import dev.jobqueue.survival.ledger.Ledger;
import java.nio.file.Path;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

@Configuration(proxyBeanMethods = false)
class LedgerConfiguration {

    @Bean
    Ledger ledger(@Value("${survival.ledgers}") Path directory, @Value("${survival.node}") String node) {
        return Ledger.open(directory, node);
    }
}
