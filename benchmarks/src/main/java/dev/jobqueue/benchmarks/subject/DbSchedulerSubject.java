package dev.jobqueue.benchmarks.subject;

import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.SchedulerBuilder;
import com.github.kagkarlsson.scheduler.SchedulerClient;
import com.github.kagkarlsson.scheduler.SchedulerName;
import com.github.kagkarlsson.scheduler.task.TaskInstance;
import com.github.kagkarlsson.scheduler.task.helper.OneTimeTask;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import dev.jobqueue.benchmarks.measure.Server;
import dev.jobqueue.benchmarks.measure.Sink;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** db-scheduler, locking and fetching in one statement, with the limits that drained fastest; it keeps no history. */
public final class DbSchedulerSubject extends Subject {

    private static final int DEFAULT_THREADS = 10;
    private static final double LOWER_LIMIT = 1.0;
    private static final double UPPER_LIMIT = 20.0;
    private static final int BULK = 1_000;

    private final OneTimeTask<String> task =
            Tasks.oneTime("work", String.class).execute((instance, context) -> handle(instance));
    private @Nullable SchedulerClient client;
    private @Nullable Scheduler scheduler;
    private boolean sameJvm;

    public DbSchedulerSubject(String database, Server server) {
        super("db-scheduler", database, server);
    }

    private static void handle(TaskInstance<String> instance) {
        try {
            Sink.handle(Long.parseLong(instance.getId()), instance.getData());
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        }
    }

    /** The table and indexes its documentation gives for PostgreSQL. */
    @Override
    protected void createSchema() throws SQLException {
        server().execute(
                        database(),
                        """
                        CREATE TABLE scheduled_tasks (
                            task_name text NOT NULL, task_instance text NOT NULL, task_data bytea,
                            execution_time timestamptz NOT NULL, picked boolean NOT NULL, picked_by text,
                            last_success timestamptz, last_failure timestamptz, consecutive_failures int,
                            last_heartbeat timestamptz, version bigint NOT NULL, priority smallint,
                            PRIMARY KEY (task_name, task_instance))""",
                        "CREATE INDEX execution_time_idx ON scheduled_tasks (execution_time)",
                        "CREATE INDEX last_heartbeat_idx ON scheduled_tasks (last_heartbeat)",
                        "CREATE INDEX priority_execution_time_idx ON scheduled_tasks (priority DESC,"
                                + " execution_time ASC)");
        client = SchedulerClient.Builder.create(publishers(), task).build();
    }

    @Override
    public void clear() throws SQLException {
        server().execute(database(), "TRUNCATE scheduled_tasks");
    }

    /** Adds jobs that are due next year. */
    public void addScheduled(int rows) throws SQLException {
        server().execute(
                        database(),
                        "INSERT INTO scheduled_tasks (task_name, task_instance, execution_time, picked, version)"
                                + " SELECT 'work', 'later' || g, now() + interval '1 year', false, 1"
                                + " FROM generate_series(1, " + rows + ") g");
    }

    private SchedulerClient client() {
        SchedulerClient chosen = sameJvm ? scheduler : client;
        if (chosen == null) {
            throw new IllegalStateException("create() comes first");
        }
        return chosen;
    }

    @Override
    public void publish(long id) {
        client().scheduleIfNotExists(task.instance(Long.toString(id), work(id).json()), Instant.now());
    }

    @Override
    public void publishAll(long first, int count) {
        for (long from = first; from < first + count; from += BULK) {
            List<TaskInstance<?>> batch = new ArrayList<>(BULK);
            for (long id = from; id < Math.min(first + count, from + BULK); id++) {
                batch.add(task.instance(Long.toString(id), work(id).json()));
            }
            client().scheduleBatch(batch, Instant.now());
        }
    }

    @Override
    public void start(Workers setup) {
        int threads = setup.slots() > 0 ? setup.slots() : DEFAULT_THREADS;
        SchedulerBuilder builder = Scheduler.create(newWorkers(Math.min(threads + 4, 40)), task)
                .schedulerName(new SchedulerName.Fixed("benchmark"))
                .threads(threads);
        if (setup.slots() > 0) {
            builder.pollUsingLockAndFetch(LOWER_LIMIT, UPPER_LIMIT);
        }
        if (setup.poll() != null) {
            builder.pollingInterval(setup.poll());
        }
        if (setup.sameJvm()) {
            builder.enableImmediateExecution();
        }
        Scheduler started = builder.build();
        started.start();
        scheduler = started;
        sameJvm = setup.sameJvm();
    }

    @Override
    public void stop() {
        sameJvm = false;
        if (scheduler != null) {
            scheduler.stop();
            scheduler = null;
        }
        closeWorkers();
    }

    @Override
    public long unfinished() throws SQLException {
        return number("SELECT count(*) FROM scheduled_tasks");
    }
}
