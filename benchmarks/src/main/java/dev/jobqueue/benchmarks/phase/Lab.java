package dev.jobqueue.benchmarks.phase;

import dev.jobqueue.benchmarks.measure.Host;
import dev.jobqueue.benchmarks.measure.Results;
import dev.jobqueue.benchmarks.measure.Server;
import dev.jobqueue.benchmarks.subject.DbSchedulerSubject;
import dev.jobqueue.benchmarks.subject.JobRunrSubject;
import dev.jobqueue.benchmarks.subject.QuartzSubject;
import dev.jobqueue.benchmarks.subject.QueueSubject;
import dev.jobqueue.benchmarks.subject.Raw;
import dev.jobqueue.benchmarks.subject.Subject;
import dev.jobqueue.benchmarks.subject.Workers;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

/** What every phase works with: the server, the machine, the results, and the subjects that all of them share. */
public final class Lab implements AutoCloseable {

    public static final String KEPT = "queue, history kept";
    public static final String NOT_KEPT = "queue, history not kept";

    private static final int LEAST_BACKLOG = 200_000;
    private static final int MOST_BACKLOG = 500_000;
    private static final int BACKLOG_STEP = 50_000;
    private static final double LEAST_SECONDS = 4;
    private static final int QUICK = 10;

    private final Server server;
    private final Host host;
    private final Results results;
    private final boolean quick;
    private final Raw raw;
    private final QueueSubject queue;
    private final QueueSubject withoutHistory;
    private final DbSchedulerSubject dbScheduler;
    private final JobRunrSubject jobRunr;
    private final QuartzSubject quartz;
    private final List<Subject> created = new ArrayList<>();
    private int backlog = LEAST_BACKLOG;

    public Lab(Server server, Host host, Results results, boolean quick) throws Exception {
        this.server = server;
        this.host = host;
        this.results = results;
        this.quick = quick;
        this.raw = new Raw(server);
        this.raw.create();
        this.queue = create(new QueueSubject(KEPT, "queue_kept", server).keepingHistory(true));
        this.withoutHistory = create(new QueueSubject(NOT_KEPT, "queue_not_kept", server).keepingHistory(false));
        this.dbScheduler = create(new DbSchedulerSubject("db_scheduler", server));
        this.jobRunr = create(new JobRunrSubject("jobrunr", server));
        this.quartz = create(new QuartzSubject("quartz", server));
    }

    /** Makes the database of a subject, which is closed with the lab. */
    <S extends Subject> S create(S subject) throws Exception {
        subject.create();
        created.add(subject);
        return subject;
    }

    /** Before a phase: lets the server clean up behind the last one. */
    public void rest() throws SQLException {
        server.rest();
    }

    Server server() {
        return server;
    }

    Host host() {
        return host;
    }

    Results results() {
        return results;
    }

    Raw raw() {
        return raw;
    }

    QueueSubject queue() {
        return queue;
    }

    QueueSubject withoutHistory() {
        return withoutHistory;
    }

    DbSchedulerSubject dbScheduler() {
        return dbScheduler;
    }

    JobRunrSubject jobRunr() {
        return jobRunr;
    }

    QuartzSubject quartz() {
        return quartz;
    }

    /** The full number, or a tenth of it in a quick run. */
    int scaled(int number) {
        return quick ? Math.max(number / QUICK, 1) : number;
    }

    /** Enough jobs for our queue and bare JDBC to be busy for some seconds; as many for either. */
    int backlog() {
        return scaled(backlog);
    }

    /**
     * What varies much for its length is measured several times in a round: the numbers of those times, which count as
     * rounds.
     */
    List<Integer> passes(int round, int times) {
        int passes = quick ? 1 : times;
        return IntStream.rangeClosed(1, passes)
                .mapToObj(pass -> (round - 1) * passes + pass)
                .toList();
    }

    boolean quick() {
        return quick;
    }

    Duration warmUp() {
        return Duration.ofMillis(quick ? 150 : 400);
    }

    Duration sampling() {
        return Duration.ofMillis(quick ? 400 : 1_250);
    }

    /** Runs every subject once, so that the first round does not measure the compiler; tells how long backlogs are. */
    public void warmUp(boolean peers) throws Exception {
        Drain drain = new Drain(this);
        int jobs = quick ? 50_000 : 150_000;
        double fastest =
                drain.raw(jobs, 2, connection -> Raw.drain(connection, 500)).rate();
        for (QueueSubject each : List.of(queue, withoutHistory)) {
            fastest = Math.max(fastest, drain.once(each, Workers.of(16), jobs).rate());
        }
        if (peers) {
            drain.once(dbScheduler, Workers.of(16).poll(Duration.ofMillis(100)), scaled(5_000));
            drain.once(jobRunr, Workers.of(16).poll(Duration.ofSeconds(5)), scaled(2_000));
            drain.once(quartz, Workers.of(16).poll(Duration.ofSeconds(1)), scaled(500));
        }
        warmUpPublishing();
        int wanted = (int) Math.ceil(fastest * LEAST_SECONDS / BACKLOG_STEP) * BACKLOG_STEP;
        backlog = Math.max(LEAST_BACKLOG, Math.min(MOST_BACKLOG, wanted));
        results.note("Backlogs of %,d jobs for the queue and bare JDBC".formatted(backlog()));
    }

    private void warmUpPublishing() throws Exception {
        AtomicLong ids = new AtomicLong();
        // many publishers share a call, one has none to share with
        for (int threads : List.of(16, 1)) {
            Load.perSecond(
                    Load.same(threads, () -> {
                        queue.publish(ids.getAndIncrement());
                        return 1;
                    }),
                    sampling(),
                    Duration.ofMillis(1));
        }
        queue.clear();
        try (Connection connection = raw.connect()) {
            Load.perSecond(List.of(Raw.insert(connection)), sampling(), Duration.ofMillis(1));
        }
        raw.clear();
    }

    @Override
    public void close() {
        for (Subject subject : created) {
            subject.close();
        }
    }
}
