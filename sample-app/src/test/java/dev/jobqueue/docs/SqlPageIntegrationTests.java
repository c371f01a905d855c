package dev.jobqueue.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What docs/sql.md prints is what PostgreSQL answers, block after block in one session. */
class SqlPageIntegrationTests {

    private static final MarkdownPage PAGE = new MarkdownPage(Path.of("../docs/sql.md"));

    private final SqlPageDatabase database = new SqlPageDatabase();

    SqlPageIntegrationTests() throws SQLException, IOException {}

    @AfterEach
    void close() throws SQLException {
        database.close();
    }

    @Test
    void answersAsThePageSays() throws SQLException {
        List<SqlExample> examples = SqlExample.beforePython(PAGE);
        assertThat(examples).hasSizeGreaterThan(30);
        for (SqlExample example : examples) {
            database.check(example);
        }
    }

    @Test
    void hasAWorkerInPython(@TempDir Path folder) throws Exception {
        String python = python();
        assumeTrue(python != null, "No python3 with psycopg2 here");
        for (SqlExample example : SqlExample.beforePython(PAGE)) {
            database.check(example);
        }
        List<MarkdownPage.Block> blocks = PAGE.blocks();
        int at = blocks.indexOf(PAGE.block("python"));
        List<String> lines = blocks.get(at + 2).text().lines().toList();
        Path script =
                Files.writeString(folder.resolve("worker.py"), blocks.get(at).text());
        Path output = folder.resolve("output");
        beat();
        Process worker = new ProcessBuilder(
                        Objects.requireNonNull(python),
                        "-u",
                        script.toString(),
                        database.connectionString("shop_worker"))
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            awaitOutput(output, lines.subList(0, lines.size() - 1));
            List<SqlExample> after = SqlExample.afterPython(PAGE);
            database.check(after.get(0));
            awaitOutput(output, lines);
            database.check(after.get(1));
        } finally {
            worker.destroyForcibly().waitFor();
        }
    }

    /** The workers of the examples live on, or this one would rescue what they hold. */
    private void beat() {
        database.jdbc()
                .sql("SELECT count(*) FROM queue.worker AS w, queue.heartbeat(w.id) WHERE w.dead_at IS NULL")
                .query()
                .listOfRows();
    }

    private void awaitOutput(Path output, List<String> lines) {
        await().atMost(Duration.ofSeconds(60)).untilAsserted(() -> {
            beat();
            assertThat(Files.readAllLines(output)).isEqualTo(lines);
        });
    }

    private static String python() throws Exception {
        for (String python : List.of("python3", "/usr/bin/python3")) {
            try {
                if (new ProcessBuilder(python, "-c", "import psycopg2").start().waitFor() == 0) {
                    return python;
                }
            } catch (IOException ex) {
                // there is none of this name
            }
        }
        return null;
    }

    @Test
    void hasTheSignaturesThatThePageShows() {
        Map<String, SqlSignature> there = SqlSignature.in(database.jdbc()).stream()
                .collect(Collectors.toMap(SqlSignature::shape, Function.identity()));
        List<SqlSignature> shown = PAGE.blocks().stream()
                .filter(SqlExample::isSignature)
                .flatMap(block -> SqlSignature.in(block.text()).stream())
                .toList();
        assertThat(shown).hasSizeGreaterThan(30);
        for (SqlSignature signature : shown) {
            assertThat(there).containsKey(signature.shape());
            assertThat(there.get(signature.shape()).differences(signature, database.jdbc()))
                    .as("defaults of %s", signature.name())
                    .isEmpty();
        }
    }

    @Test
    void namesEveryFunction() {
        String text = PAGE.text();
        assertThat(SqlSignature.in(database.jdbc()).stream()
                        .map(SqlSignature::name)
                        .distinct())
                .allMatch(name -> text.contains("`" + name) || text.contains("\n" + name + "("));
    }
}
