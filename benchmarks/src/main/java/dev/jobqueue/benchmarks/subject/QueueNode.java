package dev.jobqueue.benchmarks.subject;

import dev.jobqueue.JobContext;
import dev.jobqueue.JobHandler;
import dev.jobqueue.JobPublisher;
import dev.jobqueue.autoconfigure.forward.ForwardStatus;
import dev.jobqueue.benchmarks.measure.QueueCounts;
import dev.jobqueue.benchmarks.measure.Sink;
import dev.jobqueue.benchmarks.measure.Ticks;
import dev.jobqueue.internal.application.JobQueue;
import dev.jobqueue.schedule.JobSchedules;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.springframework.boot.Banner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** An application with the starter: a node that publishes, or one that works too. */
public final class QueueNode implements AutoCloseable {

    private final ConfigurableApplicationContext context;
    private final JobPublisher publisher;

    private QueueNode(ConfigurableApplicationContext context) {
        this.context = context;
        this.publisher = context.getBean(JobPublisher.class);
    }

    public static QueueNode publisher(String url) {
        return start(url, Map.of("queue.worker.enabled", "false"));
    }

    public static QueueNode worker(String url, Map<String, String> properties) {
        return start(url, properties);
    }

    private static QueueNode start(String url, Map<String, String> properties) {
        Map<String, Object> all = new HashMap<>();
        all.put("spring.datasource.url", url);
        all.put("spring.datasource.hikari.maximum-pool-size", "20");
        all.put("spring.datasource.hikari.minimum-idle", "4");
        all.put("queue.forward.kafka.enabled", "false"); // measured by a phase of its own
        all.putAll(properties);
        return new QueueNode(new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .bannerMode(Banner.Mode.OFF)
                .logStartupInfo(false)
                .registerShutdownHook(false)
                .properties(all)
                .run());
    }

    public JobPublisher jobs() {
        return publisher;
    }

    public void publish(long id) {
        publisher.publish(Work.of(id));
    }

    /** How many messages this node forwarded. */
    public long forwarded() {
        return context.getBeanProvider(ForwardStatus.class).stream()
                .mapToLong(ForwardStatus::sent)
                .sum();
    }

    /** From now on nobody is told of what this node publishes. */
    public void silence() throws InterruptedException {
        context.getBean(JobQueue.class).close();
    }

    public JobSchedules schedules() {
        return context.getBean(JobSchedules.class);
    }

    public TransactionTemplate transactions() {
        return new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
    }

    public JdbcTemplate jdbc() {
        return context.getBean(JdbcTemplate.class);
    }

    @Override
    public void close() {
        context.close();
    }

    static Map<String, String> properties(Workers setup) {
        Map<String, String> properties = new LinkedHashMap<>();
        if (setup.slots() > 0) {
            properties.put("queue.worker.slots", Integer.toString(setup.slots()));
        }
        if (setup.poll() != null) {
            properties.put("queue.worker.poll-interval", setup.poll().toMillis() + "ms");
        }
        if (setup.virtualThreads()) {
            properties.put("spring.threads.virtual.enabled", "true");
        }
        return properties;
    }

    /** As a user writes it. */
    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {

        @Bean
        QueueCounts counts() {
            return QueueCounts.OF_THIS_JVM;
        }

        @Bean
        Handlers handlers() {
            return new Handlers();
        }
    }

    static class Handlers {

        @JobHandler("work")
        void work(Work work) throws InterruptedException {
            Sink.handle(work.id(), work.to());
        }

        @JobHandler("tick")
        void tick(JobContext job) {
            Ticks.handle(Objects.requireNonNull(job.scheduledFor()));
        }
    }
}
