package dev.jobqueue.benchmarks.subject;

import dev.jobqueue.Batch;
import dev.jobqueue.Flow;
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
                                + " queue.mark, queue.closing, queue.flow, queue.flow_step, queue.flow_edge,"
                                + " queue.flow_result, queue.flow_signal, queue.flow_tick");
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

    /** Publishes the same jobs as members of one batch. */
    public void publishBatch(int count) {
        publishing()
                .jobs()
                .publish(Batch.of("batch").add(LongStream.range(0, count).mapToObj(this::work)));
    }

    /** Publishes flows of five steps: three of them after the first, and one after these. */
    public void publishDiamonds(int flows) {
        for (int from = 0; from < flows; from += BULK) {
            int first = from;
            publishing().transactions().executeWithoutResult(status -> {
                for (long flow = first; flow < Math.min(flows, first + BULK); flow++) {
                    long id = 5 * flow;
                    publishing()
                            .jobs()
                            .publish(Flow.of("diamond")
                                    .step("first", work(id))
                                    .each("middle", List.of(id + 1, id + 2, id + 3), this::work)
                                    .after("first")
                                    .step("last", work(id + 4))
                                    .after("middle"));
                }
            });
        }
    }

    /** Publishes one flow whose steps come after each other. */
    public void publishChain(int steps) {
        Flow chain = Flow.of("chain");
        for (int i = 0; i < steps; i++) {
            chain = chain.then("step" + i, work(i));
        }
        publishing().jobs().publish(chain);
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
                    SELECT FROM queue.flow WHERE finished_at IS NULL
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
