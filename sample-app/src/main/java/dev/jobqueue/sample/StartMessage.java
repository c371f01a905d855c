package dev.jobqueue.sample;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;

/** Tells where the application listens and what to try, in one line. */
@Component
class StartMessage {

    private static final Logger log = LoggerFactory.getLogger(StartMessage.class);

    @EventListener
    void ready(ApplicationReadyEvent event) {
        if (event.getApplicationContext() instanceof WebServerApplicationContext web && web.getWebServer() != null) {
            int port = web.getWebServer().getPort();
            log.info(
                    "Listening on http://localhost:{} - open it in a browser, or try: curl -X POST http://localhost:{}/reports",
                    port,
                    port);
        }
    }
}
