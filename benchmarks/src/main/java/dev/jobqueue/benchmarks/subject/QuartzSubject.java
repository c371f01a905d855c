package dev.jobqueue.benchmarks.subject;

import dev.jobqueue.benchmarks.measure.Server;
import dev.jobqueue.benchmarks.measure.Sink;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.quartz.Job;
import org.quartz.JobBuilder;
import org.quartz.JobDataMap;
import org.quartz.JobExecutionContext;
import org.quartz.JobKey;
import org.quartz.Scheduler;
import org.quartz.SchedulerException;
import org.quartz.TriggerBuilder;
import org.quartz.impl.SchedulerRepository;
import org.quartz.impl.StdSchedulerFactory;
import org.quartz.utils.ConnectionProvider;

/** Quartz with its clustered JDBC store: one durable job, and a trigger for each unit of work. */
public final class QuartzSubject extends Subject {

    private static final JobKey KEY = JobKey.jobKey("work");
    private static final int DEFAULT_THREADS = 10;
    private static final String TABLES = "/org/quartz/impl/jdbcjobstore/tables_postgres.sql";
    private static final Map<String, DataSource> SOURCES = new ConcurrentHashMap<>();
    private static final AtomicInteger INSTANCES = new AtomicInteger();

    private @Nullable Scheduler publisher;
    private @Nullable Scheduler worker;
    private boolean sameJvm;

    public QuartzSubject(String database, Server server) {
        super("Quartz", database, server);
    }

    @Override
    protected void createSchema() throws Exception {
        try (InputStream tables = Objects.requireNonNull(Scheduler.class.getResourceAsStream(TABLES))) {
            server().execute(database(), new String(tables.readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException ex) {
            throw new IllegalStateException("'" + TABLES + "' cannot be read", ex);
        }
        // never started: it only inserts
        publisher = scheduler(publishers(), Workers.of(1));
        addJob();
    }

    private Scheduler scheduler(DataSource dataSource, Workers setup) throws SchedulerException {
        String source = "source" + INSTANCES.incrementAndGet();
        SOURCES.put(source, dataSource);
        int threads = setup.slots() > 0 ? setup.slots() : DEFAULT_THREADS;
        Properties properties = new Properties();
        properties.setProperty("org.quartz.scheduler.instanceName", database());
        properties.setProperty("org.quartz.scheduler.instanceId", source);
        properties.setProperty("org.quartz.scheduler.batchTriggerAcquisitionMaxCount", Integer.toString(threads));
        if (setup.poll() != null) {
            properties.setProperty(
                    "org.quartz.scheduler.idleWaitTime",
                    Long.toString(setup.poll().toMillis()));
        }
        properties.setProperty("org.quartz.threadPool.class", "org.quartz.simpl.SimpleThreadPool");
        properties.setProperty("org.quartz.threadPool.threadCount", Integer.toString(threads));
        properties.setProperty("org.quartz.jobStore.class", "org.quartz.impl.jdbcjobstore.JobStoreTX");
        properties.setProperty(
                "org.quartz.jobStore.driverDelegateClass", "org.quartz.impl.jdbcjobstore.PostgreSQLDelegate");
        properties.setProperty("org.quartz.jobStore.isClustered", "true");
        properties.setProperty("org.quartz.jobStore.useProperties", "true");
        properties.setProperty("org.quartz.jobStore.misfireThreshold", "3600000");
        properties.setProperty("org.quartz.jobStore.dataSource", source);
        properties.setProperty(
                "org.quartz.dataSource." + source + ".connectionProvider.class", Provider.class.getName());
        properties.setProperty("org.quartz.dataSource." + source + ".source", source);
        Scheduler scheduler = new StdSchedulerFactory(properties).getScheduler();
        // so that a second node of the same name may live in this JVM
        SchedulerRepository.getInstance().remove(database());
        return scheduler;
    }

    private Scheduler publisher() {
        return Objects.requireNonNull(sameJvm ? worker : publisher);
    }

    private void addJob() throws SchedulerException {
        publisher()
                .addJob(
                        JobBuilder.newJob(Work.class)
                                .withIdentity(KEY)
                                .storeDurably()
                                .build(),
                        true);
    }

    @Override
    public void clear() throws Exception {
        publisher().clear();
        addJob();
    }

    @Override
    public void publish(long id) throws SchedulerException {
        JobDataMap data = new JobDataMap();
        data.put("id", Long.toString(id));
        data.put("payload", work(id).json());
        publisher()
                .scheduleJob(TriggerBuilder.newTrigger()
                        .withIdentity("trigger" + id)
                        .forJob(KEY)
                        .usingJobData(data)
                        .startNow()
                        .build());
    }

    /** It has nothing for many triggers of one job. */
    @Override
    public void publishAll(long first, int count) throws SchedulerException {
        for (long id = first; id < first + count; id++) {
            publish(id);
        }
    }

    @Override
    public void start(Workers setup) throws SchedulerException {
        Scheduler started = scheduler(newWorkers((setup.slots() > 0 ? setup.slots() : DEFAULT_THREADS) + 4), setup);
        started.start();
        worker = started;
        sameJvm = setup.sameJvm();
    }

    @Override
    public void stop() {
        sameJvm = false;
        if (worker != null) {
            shutDown(worker, true);
            worker = null;
        }
        closeWorkers();
    }

    @Override
    public long unfinished() throws SQLException {
        return number("SELECT count(*) FROM qrtz_triggers");
    }

    @Override
    public void close() {
        stop();
        if (publisher != null) {
            shutDown(publisher, false);
            publisher = null;
        }
        super.close();
    }

    private static void shutDown(Scheduler scheduler, boolean waiting) {
        try {
            scheduler.shutdown(waiting);
        } catch (SchedulerException ex) {
            throw new IllegalStateException(ex);
        }
    }

    /** Made by Quartz. */
    public static final class Work implements Job {

        @Override
        public void execute(JobExecutionContext context) {
            JobDataMap data = context.getTrigger().getJobDataMap();
            try {
                Sink.handle(Long.parseLong(data.getString("id")), data.getString("payload"));
            } catch (InterruptedException ex) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Hands a pool to Quartz, which makes this by name. */
    public static final class Provider implements ConnectionProvider {

        private String source = "";

        public void setSource(String source) {
            this.source = source;
        }

        @Override
        public Connection getConnection() throws SQLException {
            return Objects.requireNonNull(SOURCES.get(source)).getConnection();
        }

        @Override
        public void shutdown() {}

        @Override
        public void initialize() {}
    }
}
