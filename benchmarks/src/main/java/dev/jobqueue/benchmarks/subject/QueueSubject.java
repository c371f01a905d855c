package dev.jobqueue.benchmarks.subject;

import dev.jobqueue.Job;
import dev.jobqueue.benchmarks.measure.QueueCounts;
import dev.jobqueue.benchmarks.measure.Server;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/** Our queue, through the starter: each node is an application context of its own. */
public final class QueueSubject extends Subject {

    private static final int BULK = 1_000;

    private final Map<String, String> properties = new LinkedHashMap<>();
    private final List<QueueNode> workers = new ArrayList<>();
    private @Nullable QueueNode publisher;
    private boolean sameJvm;
    private long settledBefore;

    public QueueSubject(String name, String database, Server server) {
        super(name, database, server);
    }

    /** With this property on the worker nodes started from now on. */
    public QueueSubject with(String property, String value) {
        properties.put(property, value);
        return this;
    }

    /** Keeps finished jobs, or not. */
    public QueueSubject keepingHistory(boolean kept) {
        return with("queue.retention", kept ? "7d" : "0");
    }

    @Override
    protected void createSchema() {
        closePublisher();
        publisher = QueueNode.publisher(server().url(database()));
    }

    @Override
    public void clear() throws SQLException {
        server().execute(
                        database(),
                        "TRUNCATE queue.job, queue.ready, queue.scheduled, queue.lease, queue.job_history,"
                                + " queue.dead_letter, queue.worker, queue.waiting, queue.turn, queue.hung, queue.held,"
                                + " queue.mark, queue.closing");
    }

    private QueueNode publishing() {
        return sameJvm ? workers.get(0) : Objects.requireNonNull(publisher);
    }

    /** The node that {@link #publish} uses. */
    public QueueNode node() {
        return publishing();
    }

    @Override
    public void publish(long id) {
        publishing().jobs().publish(work(id));
    }

    @Override
    public void publishAll(long first, int count) {
        publishAll(first, count, (id, job) -> job);
    }

    /** What makes a job another than the plainest one. */
    public interface Change {
        Job apply(long id, Job job);
    }

    /** Publishes jobs that are scheduled, in other queues or of other priorities. */
    public void publishAll(long first, int count, Change change) {
        for (long from = first; from < first + count; from += BULK) {
            List<Job> jobs = LongStream.range(from, Math.min(first + count, from + BULK))
                    .mapToObj(id -> change.apply(id, Job.of(work(id))))
                    .toList();
            publishing().jobs().publishAll(jobs);
        }
    }

    @Override
    public void start(Workers setup) {
        start(setup, 1);
    }

    /** Starts several nodes, each with all the slots. */
    public void start(Workers setup, int nodes) {
        settledBefore = QueueCounts.OF_THIS_JVM.settledJobs();
        Map<String, String> all = new LinkedHashMap<>(properties);
        all.putAll(QueueNode.properties(setup));
        for (int i = 0; i < nodes; i++) {
            workers.add(QueueNode.worker(server().url(database()), all));
        }
        sameJvm = setup.sameJvm();
    }

    @Override
    public boolean mayBeFinished(int jobs) {
        return QueueCounts.OF_THIS_JVM.settledJobs() - settledBefore >= jobs;
    }

    @Override
    public void stop() {
        sameJvm = false;
        workers.forEach(QueueNode::close);
        workers.clear();
    }

    @Override
    public long unfinished() throws SQLException {
        // not live_job, which looks at all that is scheduled too
        return number("""
                SELECT count(*) FROM (
                    SELECT FROM queue.ready
                    UNION ALL
                    SELECT FROM queue.waiting
                    UNION ALL
                    SELECT FROM queue.lease l CROSS JOIN LATERAL unnest(l.ids, l.versions) AS h (id, version)
                        JOIN queue.job j ON j.id = h.id AND j.version = h.version
                    LIMIT 1) AS one
                """);
    }

    @Override
    public void close() {
        super.close();
        closePublisher();
    }

    private void closePublisher() {
        if (publisher != null) {
            publisher.close();
            publisher = null;
        }
    }
}
