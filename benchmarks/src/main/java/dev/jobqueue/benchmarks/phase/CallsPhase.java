package dev.jobqueue.benchmarks.phase;

import dev.jobqueue.benchmarks.measure.Backend;
import dev.jobqueue.benchmarks.measure.Host;
import dev.jobqueue.benchmarks.subject.QueueSubject;
import dev.jobqueue.benchmarks.subject.SqlWorker;
import java.sql.SQLException;

/** What the calls of the SQL contract cost the server: the processor time of the one backend that serves them. */
public final class CallsPhase implements Phase {

    public static final String PUBLISH_ONE = "server time, publish one";
    public static final String ONE = "server time, claim and complete one";
    public static final String BATCH = "server time, claim and complete, by 500";

    private static final int SINGLE = 2_000;
    private static final int MANY = 50_000;
    private static final int LIMIT = 500;
    private static final int PASSES = 3;

    private final Lab lab;

    public CallsPhase(Lab lab) {
        this.lab = lab;
    }

    @Override
    public void round(int number) throws Exception {
        for (int pass : lab.passes(number, PASSES)) {
            pass(pass);
        }
    }

    private void pass(int round) throws Exception {
        QueueSubject queue = lab.queue();
        int single = lab.scaled(SINGLE);
        int many = lab.scaled(MANY);
        queue.clear();
        lab.server().tidy(queue.database());
        try (SqlWorker worker = new SqlWorker(lab.server().connect(queue.database()))) {
            warmUp(worker);
            measure(round, PUBLISH_ONE, worker, single, () -> {
                for (int i = 0; i < single; i++) {
                    worker.publish(i);
                }
            });
            lab.server().tidy(queue.database());
            measure(round, ONE, worker, single, () -> drain(worker, single, 1));
            queue.publishAll(0, many);
            lab.server().tidy(queue.database());
            measure(round, BATCH, worker, many, () -> drain(worker, many, LIMIT));
        } finally {
            queue.clear();
        }
    }

    /** The server plans a statement anew for the first few executions. */
    private static void warmUp(SqlWorker worker) throws SQLException {
        for (int i = 0; i < 20; i++) {
            worker.publish(i);
        }
        drain(worker, 20, 1);
    }

    private static void drain(SqlWorker worker, int jobs, int limit) throws SQLException {
        for (int done = 0; done < jobs; ) {
            int claimed = worker.claimAndComplete(limit);
            if (claimed == 0) {
                throw new IllegalStateException("Only %d of %d jobs could be claimed".formatted(done, jobs));
            }
            done += claimed;
        }
    }

    private interface Calls {
        void run() throws SQLException;
    }

    private void measure(int round, String metric, SqlWorker worker, int jobs, Calls calls) throws Exception {
        Backend backend = Backend.of(worker.connection());
        Host.Watch watch = lab.host().watch();
        double before = backend.micros();
        calls.run();
        lab.results().add(round, metric, Lab.KEPT, (backend.micros() - before) / jobs, "us per job", watch.foreign());
    }
}
