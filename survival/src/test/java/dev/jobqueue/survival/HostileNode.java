package dev.jobqueue.survival;

import dev.jobqueue.JobPublisher;
import dev.jobqueue.JobState;
import dev.jobqueue.operate.JobDetails;
import dev.jobqueue.operate.JobOperations;
import dev.jobqueue.postgres.TestDatabase;
import java.time.Duration;
import java.util.UUID;
import org.awaitility.Awaitility;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;

/** An application with handlers that stop at nothing. */
@EnableAutoConfiguration
@Import(HostileHandlers.class)
class HostileNode implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofMinutes(5);

    private final ConfigurableApplicationContext context;

    private HostileNode(ConfigurableApplicationContext context) {
        this.context = context;
    }

    static HostileNode start(TestDatabase database, String... settings) {
        SpringApplication application = new SpringApplication(HostileNode.class);
        application.setRegisterShutdownHook(false);
        String[] arguments = new String[settings.length + 3];
        System.arraycopy(settings, 0, arguments, 3, settings.length);
        arguments[0] = "--spring.datasource.url=" + database.jdbcUrl();
        arguments[1] = "--spring.datasource.username=" + database.username();
        arguments[2] = "--spring.datasource.password=" + database.password();
        return new HostileNode(application.run(arguments));
    }

    JobPublisher publisher() {
        return context.getBean(JobPublisher.class);
    }

    HostileHandlers handlers() {
        return context.getBean(HostileHandlers.class);
    }

    JobDetails find(UUID id) {
        return context.getBean(JobOperations.class).find(id).orElseThrow();
    }

    JobDetails await(JobState state, UUID id) {
        Awaitility.await("job " + id + " to be " + state).atMost(PATIENCE).until(() -> find(id).state() == state);
        return find(id);
    }

    @Override
    public void close() {
        context.close();
    }
}
