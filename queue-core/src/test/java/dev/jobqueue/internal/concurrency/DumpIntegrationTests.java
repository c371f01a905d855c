package dev.jobqueue.internal.concurrency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.jobqueue.internal.Places;
import dev.jobqueue.internal.handle.ClaimedJob;
import dev.jobqueue.postgres.TestDatabase;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A real pg_dump, taken while jobs are claimed and epochs advance. Runs where the tools are as new as the server. */
class DumpIntegrationTests {

    private static final int JOBS = 5_000;
    private static final int LIMIT = 20;

    @Test
    void canBeRestoredAndWorkedWhateverWasGoingOn(@TempDir Path folder) throws Exception {
        TestDatabase database = Session.database();
        try (Session session = Session.open(database)) {
            assumeTrue(toolsAreAsNewAs(session), "no pg_dump and psql that are as new as the server");
            session.publish(JOBS);
        }
        Path dump = folder.resolve("queue.sql");
        AtomicBoolean dumped = new AtomicBoolean();
        CompletableFuture<Integer> worker = CompletableFuture.supplyAsync(() -> work(database, dumped));
        run(database, "pg_dump", "--file=" + dump);
        dumped.set(true);
        int handled = worker.get(60, TimeUnit.SECONDS);
        assertThat(handled).as("while it was dumped").isPositive();

        TestDatabase restored = TestDatabase.create();
        run(restored, "psql", "--quiet", "--set=ON_ERROR_STOP=1", "--file=" + dump);

        Places.audit(restored);
        try (Session session = Session.open(restored)) {
            // what ran when the dump was made belongs to workers that are not here
            session.execute("UPDATE queue.worker SET beat_at = now() - interval '1 day'");
            session.execute("UPDATE queue.lease SET claimed_at = now() - interval '1 day'");
            session.execute("SELECT queue.rescue('1 second')");
            session.publish(LIMIT);
            List<ClaimedJob> last = complete(session, LIMIT);
            while (!last.isEmpty()) {
                last = complete(session, LIMIT);
            }
            assertThat(session.number("SELECT count(*) FROM queue.live_job")).isZero();
        }
        Places.audit(restored);
    }

    /** Starts an epoch with every claim, as under a held snapshot. */
    private static int work(TestDatabase database, AtomicBoolean ends) {
        int handled = 0;
        try (Session session = Session.open(database)) {
            while (!ends.get()) {
                handled += complete(session, LIMIT).size();
                session.publish(LIMIT);
                session.execute("SELECT queue.internal_advance(hashtextextended('default', 0), NULL, true)");
            }
            return handled;
        } catch (Exception ex) {
            throw new IllegalStateException(ex);
        }
    }

    private static List<ClaimedJob> complete(Session session, int limit) {
        List<ClaimedJob> jobs = session.claim(limit);
        assertThat(session.complete(jobs.stream().map(ClaimedJob::lease).toList()))
                .isEmpty();
        return jobs;
    }

    private static boolean toolsAreAsNewAs(Session session) throws Exception {
        long server = session.number("SELECT current_setting('server_version_num')::int / 10000");
        for (String tool : List.of("pg_dump", "psql")) {
            try {
                Process process = new ProcessBuilder(tool, "--version")
                        .redirectErrorStream(true)
                        .start();
                Matcher version = Pattern.compile("(\\d+)(\\.\\d+)?")
                        .matcher(new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8));
                if (process.waitFor() != 0 || !version.find() || Integer.parseInt(version.group(1)) < server) {
                    return false;
                }
            } catch (IOException ex) {
                return false;
            }
        }
        return true;
    }

    private static void run(TestDatabase database, String... command) throws Exception {
        URI url = URI.create(database.jdbcUrl().substring("jdbc:".length()));
        List<String> whole = new ArrayList<>(List.of(command));
        whole.add("--dbname=postgresql://%s@%s:%d%s"
                .formatted(database.username(), url.getHost(), url.getPort(), url.getPath()));
        ProcessBuilder builder = new ProcessBuilder(whole).redirectErrorStream(true);
        builder.environment().put("PGPASSWORD", database.password());
        Process process = builder.start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
    }
}
