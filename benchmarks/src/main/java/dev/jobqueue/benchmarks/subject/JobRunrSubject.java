package dev.jobqueue.benchmarks.subject;

import dev.jobqueue.benchmarks.measure.Server;
import dev.jobqueue.benchmarks.measure.Sink;
import java.sql.SQLException;
import java.util.stream.LongStream;
import javax.sql.DataSource;
import org.jobrunr.jobs.lambdas.JobRequest;
import org.jobrunr.jobs.lambdas.JobRequestHandler;
import org.jobrunr.jobs.mappers.JobMapper;
import org.jobrunr.scheduling.JobRequestScheduler;
import org.jobrunr.server.BackgroundJobServer;
import org.jobrunr.server.BackgroundJobServerConfiguration;
import org.jobrunr.server.JobActivator;
import org.jobrunr.storage.StorageProvider;
import org.jobrunr.storage.sql.postgres.PostgresStorageProvider;
import org.jobrunr.utils.mapper.jackson.JacksonJsonMapper;
import org.jspecify.annotations.Nullable;

/** JobRunr (open source) with job requests; it keeps finished jobs. */
public final class JobRunrSubject extends Subject {

    private @Nullable JobRequestScheduler publisher;
    private @Nullable BackgroundJobServer worker;

    public JobRunrSubject(String database, Server server) {
        super("JobRunr", database, server);
    }

    private static StorageProvider storage(DataSource dataSource) {
        StorageProvider storage = new PostgresStorageProvider(dataSource);
        storage.setJobMapper(new JobMapper(new JacksonJsonMapper()));
        return storage;
    }

    @Override
    protected void createSchema() {
        publisher = new JobRequestScheduler(storage(publishers()));
    }

    @Override
    public void clear() throws SQLException {
        server().execute(database(), "TRUNCATE jobrunr_jobs, jobrunr_backgroundjobservers");
    }

    private JobRequestScheduler publisher() {
        if (publisher == null) {
            throw new IllegalStateException("create() comes first");
        }
        return publisher;
    }

    @Override
    public void publish(long id) {
        publisher().enqueue(new Request(work(id)));
    }

    @Override
    public void publishAll(long first, int count) {
        publisher().enqueue(LongStream.range(first, first + count).mapToObj(id -> new Request(work(id))));
    }

    @Override
    public void start(Workers setup) {
        BackgroundJobServerConfiguration configuration =
                BackgroundJobServerConfiguration.usingStandardBackgroundJobServerConfiguration();
        if (setup.slots() > 0) {
            configuration.andWorkerCount(setup.slots());
        }
        if (setup.poll() != null) {
            configuration.andPollInterval(setup.poll());
        }
        int connections = Math.min(Math.max(setup.slots(), 16) + 4, 40);
        worker = new BackgroundJobServer(
                storage(newWorkers(connections)), new JacksonJsonMapper(), new Activator(), configuration);
        worker.start();
    }

    @Override
    public void stop() {
        if (worker != null) {
            worker.stop();
            worker = null;
        }
        closeWorkers();
    }

    @Override
    public long unfinished() throws SQLException {
        return number("SELECT count(*) FROM jobrunr_jobs WHERE state <> 'SUCCEEDED'");
    }

    /** Written and read as JSON by the library. */
    public static final class Request implements JobRequest {

        private static final long serialVersionUID = 1L;

        private long id;
        private @Nullable String payload;

        public Request() {}

        Request(Work work) {
            this.id = work.id();
            this.payload = work.json();
        }

        @Override
        public Class<Handler> getJobRequestHandler() {
            return Handler.class;
        }
    }

    /** Made by the activator. */
    public static final class Handler implements JobRequestHandler<Request> {

        @Override
        public void run(Request request) throws InterruptedException {
            Sink.handle(request.id, String.valueOf(request.payload));
        }
    }

    private static final class Activator implements JobActivator {

        @Override
        public <T> T activateJob(Class<T> type) {
            try {
                return type.getDeclaredConstructor().newInstance();
            } catch (ReflectiveOperationException ex) {
                throw new IllegalStateException(ex);
            }
        }
    }
}
