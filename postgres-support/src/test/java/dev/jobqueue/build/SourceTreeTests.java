package dev.jobqueue.build;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Limits that keep files readable, with the exceptions and their reasons. */
class SourceTreeTests {

    private static final int MOST_COLUMNS = 120;
    private static final int MOST_LINES = 250;
    private static final int MOST_LINES_OF_A_TEST = 400;
    private static final int MOST_TYPES = 15;

    private static final String INTERNAL = "dev.jobqueue.internal";

    /** Files that may know the internals although their module may not. */
    private static final Map<String, String> KNOW_THE_INTERNALS = Map.of(
            "benchmarks/src/main/java/dev/jobqueue/benchmarks/subject/QueueNode.java",
            "turns notifications off, which no application can, to measure what they cost",
            "sample-app/src/test/java/dev/jobqueue/docs/ConfigurationReference.java",
            "writes durations in docs/configuration.md as messages write them",
            "sample-app/src/test/java/dev/jobqueue/docs/SqlPageDatabase.java",
            "migrates a database without an application, to run the examples of docs/sql.md");

    /** Files that may be longer. */
    private static final Map<String, String> LONG_FILES = Map.ofEntries(
            Map.entry(
                    "queue-core/src/main/java/dev/jobqueue/schedule/ScheduleDefinition.java",
                    "public API: half of it is Javadoc, a method for each property of a schedule"),
            Map.entry(
                    "queue-core/src/main/java/dev/jobqueue/HandlerDefinition.java",
                    "public API: half of it is Javadoc, a method for each property of a handler"),
            Map.entry(
                    "queue-core/src/main/java/dev/jobqueue/Job.java",
                    "public API: half of it is Javadoc, a method for each property of a job"),
            Map.entry(
                    "queue-core/src/main/java/dev/jobqueue/Forward.java",
                    "public API: half of it is Javadoc, a method for each property of a message"),
            Map.entry(
                    "queue-core/src/main/java/dev/jobqueue/Flow.java",
                    "public API: half of it is Javadoc, a method for each kind of step"),
            Map.entry(
                    "queue-core/src/main/java/dev/jobqueue/internal/migrate/SchemaMigrator.java",
                    "one migration from the lock to the line in the log"),
            Map.entry(
                    "queue-core/src/main/java/dev/jobqueue/internal/publish/GroupCommit.java",
                    "one protocol between publishers that share a commit, which is clearer in one place"),
            Map.entry(
                    "queue-spring-boot-autoconfigure/src/main/java/dev/jobqueue/autoconfigure/QueueProperties.java",
                    "public API: a record for each group of properties, more than half of it is Javadoc"),
            Map.entry(
                    "queue-test/src/main/java/dev/jobqueue/test/JobTester.java",
                    "public API: the one class that tests call, more than half of it is Javadoc"),
            Map.entry(
                    "queue-test/src/main/java/dev/jobqueue/test/FakeJobContext.java",
                    "public API: implements each method of JobContext, and records each call"));

    /** Tests that may be longer: one class for one function or type, with a nested class for each case. */
    private static final Set<String> LONG_TESTS = Set.of(
            "queue-core/src/test/java/dev/jobqueue/internal/handle/BundlesIntegrationTests.java",
            "queue-core/src/test/java/dev/jobqueue/internal/limit/LimitIntegrationTests.java",
            "queue-core/src/test/java/dev/jobqueue/internal/maintain/PruneIntegrationTests.java",
            "queue-core/src/test/java/dev/jobqueue/internal/migrate/SchemaMigratorIntegrationTests.java",
            "queue-core/src/test/java/dev/jobqueue/internal/operate/InterventionIntegrationTests.java",
            "queue-core/src/test/java/dev/jobqueue/internal/publish/GroupCommitIntegrationTests.java",
            "queue-core/src/test/java/dev/jobqueue/internal/publish/InvalidInputIntegrationTests.java",
            "queue-core/src/test/java/dev/jobqueue/internal/publish/PublishIntegrationTests.java",
            "queue-core/src/test/java/dev/jobqueue/internal/slot/QueueSlotsTests.java",
            "queue-spring-boot-autoconfigure/src/test/java/dev/jobqueue/autoconfigure/HandlerShapesIntegrationTests.java",
            "queue-spring-boot-autoconfigure/src/test/java/dev/jobqueue/autoconfigure/health/QueueHealthIntegrationTests.java");

    /** Packages that may have more types. */
    private static final Map<String, String> LARGE_PACKAGES = Map.of(
            "queue-spring-boot-autoconfigure/src/main/java/dev/jobqueue/autoconfigure",
            "one auto-configuration, most of whose parts are package-private",
            "queue-core/src/main/java/dev/jobqueue",
            "public API: what nearly every application imports",
            "queue-core/src/main/java/dev/jobqueue/operate",
            "public API: a record for each thing that operations tell",
            "queue-dashboard/src/main/java/dev/jobqueue/dashboard",
            "one auto-configuration, most of whose parts are package-private",
            "queue-test/src/main/java/dev/jobqueue/test",
            "an application imports the kit from one package",
            "benchmarks/src/main/java/dev/jobqueue/benchmarks/phase",
            "one class for each phase, none of which knows another");

    /** A class, a file of SQL, or either of them in a room; a file of the dashboard. */
    private static final Pattern NAME = Pattern.compile("`((?:[a-z]+/)?(?:[A-Z][a-z]\\w+|\\w+\\.sql|[\\w-]+\\.js))`");

    private static final Pattern FUNCTION = Pattern.compile("`(internal_\\w+)`");

    private final SourceTree tree = SourceTree.ofThisProject();

    @Test
    void keepsLinesWithinTheColumnsOfAScreen() {
        List<String> tooLong = new ArrayList<>();
        for (String file : tree.files(".java", ".sql", ".kts", ".md", ".yaml")) {
            List<String> lines = tree.lines(file);
            for (int i = 0; i < lines.size(); i++) {
                if (lines.get(i).length() > MOST_COLUMNS && !mayBeLong(file, lines.get(i))) {
                    tooLong.add("%s:%d".formatted(file, i + 1));
                }
            }
        }
        assertThat(tooLong).isEmpty();
    }

    /** A row of a table cannot be broken, nor can what a benchmark or psql printed. */
    private static boolean mayBeLong(String file, String line) {
        // nor can a template of a page, or what a test expects to the letter
        if (file.endsWith(".js") || (file.contains("/src/test/") && line.contains("\""))) {
            return true;
        }
        return file.endsWith(".md")
                && (line.startsWith("|") || line.startsWith("ERROR:") || file.startsWith("benchmarks/results/"));
    }

    @Test
    void keepsFilesShort() {
        List<String> tooLong = new ArrayList<>();
        for (String file : tree.files(".java")) {
            int most = file.contains("/src/test/") ? MOST_LINES_OF_A_TEST : MOST_LINES;
            boolean mayBeLong = LONG_FILES.containsKey(file) || LONG_TESTS.contains(file);
            if (tree.lines(file).size() > most && !mayBeLong) {
                tooLong.add("%s: %d lines".formatted(file, tree.lines(file).size()));
            }
        }
        assertThat(tooLong).isEmpty();
    }

    @Test
    void keepsPackagesSmall() {
        Map<String, Integer> types = typesOfPackages();
        types.keySet().removeAll(LARGE_PACKAGES.keySet());
        types.values().removeIf(count -> count <= MOST_TYPES);
        assertThat(types).isEmpty();
    }

    private Map<String, Integer> typesOfPackages() {
        Map<String, Integer> types = new TreeMap<>();
        for (String file : tree.files(".java")) {
            if (file.contains("/src/main/") && !file.endsWith("package-info.java")) {
                types.merge(file.substring(0, file.lastIndexOf('/')), 1, Integer::sum);
            }
        }
        return types;
    }

    @Test
    void keepsTheInternalsFromAllModulesButTheAutoConfiguration() {
        List<String> intruders = new ArrayList<>();
        for (String file : tree.files(".java")) {
            boolean mayKnow = file.startsWith("queue-core/")
                    || file.startsWith("queue-spring-boot-autoconfigure/")
                    || KNOW_THE_INTERNALS.containsKey(file);
            if (!mayKnow && tree.lines(file).stream().anyMatch(line -> line.startsWith("import " + INTERNAL))) {
                intruders.add(file);
            }
        }
        assertThat(intruders).isEmpty();
    }

    @Test
    void hasEachFileThatTheMapOfTheCodeNames() {
        List<String> files = tree.files(".java", ".sql", ".js");
        String map = String.join("\n", tree.lines("docs/architecture.md"));
        List<String> missing = NAME.matcher(map)
                .results()
                .map(name -> name.group(1))
                .map(name -> name.contains(".") ? name : name + ".java")
                .filter(name -> files.stream().noneMatch(file -> file.endsWith("/" + name)))
                .toList();
        assertThat(missing).isEmpty();
    }

    @Test
    void hasEachFunctionThatTheMapOfTheCodeNames() {
        String sql = tree.files(".sql").stream()
                .filter(file -> file.contains("/src/main/"))
                .flatMap(file -> tree.lines(file).stream())
                .collect(Collectors.joining("\n"));
        String map = String.join("\n", tree.lines("docs/architecture.md"));
        List<String> missing = FUNCTION.matcher(map)
                .results()
                .map(name -> name.group(1))
                .filter(name -> !sql.contains("FUNCTION " + name + "("))
                .toList();
        assertThat(missing).isEmpty();
    }

    @Test
    void hasNoExceptionThatIsNotNeeded() {
        assertThat(KNOW_THE_INTERNALS.keySet())
                .allMatch(file -> tree.lines(file).stream().anyMatch(line -> line.startsWith("import " + INTERNAL)));
        assertThat(LONG_FILES.keySet()).allMatch(file -> tree.lines(file).size() > MOST_LINES);
        assertThat(LONG_TESTS).allMatch(file -> tree.lines(file).size() > MOST_LINES_OF_A_TEST);
        Map<String, Integer> types = typesOfPackages();
        assertThat(LARGE_PACKAGES.keySet()).allMatch(folder -> types.getOrDefault(folder, 0) > MOST_TYPES);
    }
}
