package dev.jobqueue.sample;

import dev.jobqueue.postgres.EmbeddedServer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;

/** Tells where the application listens and where its data is. */
@Component
class StartMessage {

    private static final Logger log = LoggerFactory.getLogger(StartMessage.class);

    private final ObjectProvider<EmbeddedServer> embedded;

    StartMessage(ObjectProvider<EmbeddedServer> embedded) {
        this.embedded = embedded;
    }

    @EventListener
    void ready(ApplicationReadyEvent event) {
        embedded.ifAvailable(server -> log.info(
                "Embedded PostgreSQL: {} (user {}, no password)", server.jdbcUrl("postgres"), server.username()));
        if (event.getApplicationContext() instanceof WebServerApplicationContext web && web.getWebServer() != null) {
            log.info(
                    "Listening on http://localhost:{} - open it in a browser: it has lines to try, and shows the"
                            + " queues live",
                    web.getWebServer().getPort());
        } else {
            log.info("Working without a web server");
        }
    }
}
