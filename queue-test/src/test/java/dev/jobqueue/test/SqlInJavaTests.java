package dev.jobqueue.test;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** SQL in the Java code of the queue does not see the clock of the tests: the functions of its schema do. */
class SqlInJavaTests {

    private static final Path SOURCES = Path.of("..", "queue-core", "src", "main", "java");

    private static final Pattern CLOCK = Pattern.compile(
            "\"[^\"\n]*((clock|statement|transaction)_timestamp|\\bnow\\(\\)|current_(timestamp|date|time)|localtime)",
            Pattern.CASE_INSENSITIVE);

    /** How long the threads of a node may sleep: the kit has none. */
    private static final Set<String> OF_THREADS =
            Set.of("MaintainCalls.java", "ResolveCalls.java", "ScheduleCalls.java");

    @Test
    void readsNoTime() throws IOException {
        try (Stream<Path> files = Files.walk(SOURCES)) {
            Set<String> found = files.filter(file -> file.toString().endsWith(".java"))
                    .filter(file -> CLOCK.matcher(read(file)).find())
                    .map(file -> file.getFileName().toString())
                    .collect(Collectors.toCollection(TreeSet::new));
            assertThat(found).isEqualTo(OF_THREADS);
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }
}
