package dev.jobqueue.internal.concurrency;

import dev.jobqueue.internal.Uuids;
import dev.jobqueue.internal.handle.ClaimedJob;
import dev.jobqueue.internal.publish.NewJobs;
import dev.jobqueue.internal.settle.JobLease;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.springframework.dao.ConcurrencyFailureException;

/** Publishers and claimers of all kinds, while somebody else begins one epoch after the other. */
final class EpochsLoad {

    static final int PUBLISHERS = 8;
    static final int CLAIMERS = 8;

    private static final Duration HOW_LONG = Duration.ofSeconds(6);
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final String SERIALIZATION_FAILURE = "40001";

    private final long start = System.nanoTime();
    private final CountDownLatch publishing = new CountDownLatch(PUBLISHERS);
    private final CountDownLatch claiming = new CountDownLatch(CLAIMERS);
    private final Queue<UUID> committed = new ConcurrentLinkedQueue<>();
    private final Queue<UUID> completed = new ConcurrentLinkedQueue<>();

    Queue<UUID> committed() {
        return committed;
    }

    Queue<UUID> completed() {
        return completed;
    }

    /** Publishes until the time is over, each number in another way. */
    void publish(Session session, int number) throws SQLException {
        Random random = new Random(number);
        try {
            while (!isOver(HOW_LONG)) {
                switch (number) {
                    case 0 -> committed.addAll(publish(session, random, 1 + random.nextInt(20)));
                    case 1 -> committed.addAll(publishLater(session, random));
                    case 2, 3 -> inTransaction(session, "READ COMMITTED", random, true);
                    case 4 -> withSavepoints(session, random);
                    case 5 -> inTransaction(session, "REPEATABLE READ", random, random.nextInt(10) == 0);
                    case 6 -> inTransaction(session, "SERIALIZABLE", random, random.nextInt(10) == 0);
                    default -> inTransaction(session, "READ COMMITTED", random, false);
                }
            }
        } finally {
            publishing.countDown();
        }
    }

    private void inTransaction(Session session, String isolation, Random random, boolean stayOpen) throws SQLException {
        session.execute("BEGIN ISOLATION LEVEL " + isolation);
        try {
            session.execute("SELECT count(*) FROM queue.worker");
            List<UUID> ids = new ArrayList<>(publish(session, random, 5));
            if (stayOpen) {
                session.execute("SELECT pg_sleep(?)", 1 + 2 * random.nextDouble());
            }
            ids.addAll(publish(session, random, 5));
            session.execute("COMMIT");
            committed.addAll(ids);
        } catch (ConcurrencyFailureException ex) {
            session.execute("ROLLBACK");
        } catch (SQLException ex) {
            if (!SERIALIZATION_FAILURE.equals(ex.getSQLState())) {
                throw ex;
            }
            session.execute("ROLLBACK");
        }
    }

    private void withSavepoints(Session session, Random random) throws SQLException {
        session.execute("BEGIN");
        List<UUID> ids = new ArrayList<>(publish(session, random, 3));
        session.execute("SAVEPOINT s");
        publish(session, random, 3);
        session.execute("SELECT pg_sleep(?)", random.nextDouble() / 10);
        session.execute("ROLLBACK TO SAVEPOINT s");
        ids.addAll(publish(session, random, 3));
        boolean commit = random.nextBoolean();
        session.execute(commit ? "COMMIT" : "ROLLBACK");
        if (commit) {
            committed.addAll(ids);
        }
    }

    private static List<UUID> publish(Session session, Random random, int count) {
        return publish(session, random, count, null);
    }

    private static List<UUID> publishLater(Session session, Random random) {
        return publish(session, random, 5, Duration.ofMillis(1 + random.nextInt(1_500)));
    }

    private static List<UUID> publish(Session session, Random random, int count, Duration delay) {
        return session.publications.publish(
                Stream.generate(() -> NewJobs.with(Uuids.next(), "test", "{}")
                                .priority(random.nextInt(3))
                                .delay(delay)
                                .build())
                        .limit(count)
                        .toList(),
                false);
    }

    /** Claims and completes until nothing is left, or too long after the last job was published. */
    void claim(Session session, int number) throws SQLException {
        Random random = new Random(number);
        try {
            do {
                if (random.nextInt(10) == 0) {
                    session.execute("BEGIN");
                    session.claim(10);
                    session.execute("ROLLBACK");
                }
                complete(session, session.claim(1 + random.nextInt(50)));
            } while (publishing.getCount() > 0 || (isAnyLeft(session) && !isOver(HOW_LONG.plus(PATIENCE))));
        } finally {
            claiming.countDown();
        }
    }

    private void complete(Session session, List<ClaimedJob> jobs) {
        List<JobLease> claims = jobs.stream().map(ClaimedJob::lease).toList();
        List<UUID> refused = session.complete(claims);
        claims.stream().map(JobLease::id).filter(id -> !refused.contains(id)).forEach(completed::add);
    }

    private static boolean isAnyLeft(Session session) throws SQLException {
        return session.<Boolean>column("SELECT EXISTS (SELECT FROM queue.live_job)")
                .get(0);
    }

    /** Calls the statements in turn, as long as somebody claims. */
    void repeat(Session session, String... statements) throws SQLException {
        while (claiming.getCount() > 0) {
            for (String statement : statements) {
                session.execute(statement);
            }
        }
    }

    /** Holds a snapshot, as long as somebody claims. */
    void holdSnapshot(Session session) throws SQLException, InterruptedException {
        session.execute("BEGIN ISOLATION LEVEL REPEATABLE READ");
        session.execute("SELECT count(*) FROM queue.live_job");
        if (!claiming.await(HOW_LONG.plus(PATIENCE).multipliedBy(2).toSeconds(), TimeUnit.SECONDS)) {
            throw new IllegalStateException("Somebody still claims");
        }
        session.execute("COMMIT");
    }

    private boolean isOver(Duration duration) {
        return System.nanoTime() - start > duration.toNanos();
    }
}
