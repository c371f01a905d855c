package dev.jobqueue.build;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** The files of this project that people write. */
final class SourceTree {

    private static final Set<String> LEFT_OUT = Set.of("target", "build", "node_modules");

    private final Path root;

    private SourceTree(Path root) {
        this.root = root;
    }

    static SourceTree ofThisProject() {
        return new SourceTree(BuildFiles.ofThisProject().root());
    }

    /** The files whose names end so, relative to the root and with slashes. */
    List<String> files(String... endings) {
        try (Stream<Path> all = Files.walk(root)) {
            return all.filter(Files::isRegularFile)
                    .map(root::relativize)
                    .filter(SourceTree::isWritten)
                    .map(path -> path.toString().replace('\\', '/'))
                    .filter(path -> Stream.of(endings).anyMatch(path::endsWith))
                    .sorted()
                    .toList();
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

    private static boolean isWritten(Path path) {
        for (Path part : path) {
            if (LEFT_OUT.contains(part.toString()) || part.toString().startsWith(".")) {
                return false;
            }
        }
        return true;
    }

    Path path(String file) {
        return root.resolve(file);
    }

    /** The name of a file, relative to the root and with slashes. */
    String name(Path path) {
        return root.relativize(path).toString().replace('\\', '/');
    }

    List<String> lines(String file) {
        try {
            return Files.readAllLines(path(file));
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }
}
