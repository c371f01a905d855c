package dev.jobqueue.docs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The regions of source files between {@code snippet: name} and {@code end}, by name. */
final class Snippets {

    private static final Pattern BEGIN = Pattern.compile("\\s*(?://|#|--) snippet: ([\\w-]+)");
    private static final Pattern END = Pattern.compile("\\s*(?://|#|--) end");

    private final Map<String, String> texts = new TreeMap<>();

    static Snippets in(Path... folders) {
        Snippets snippets = new Snippets();
        for (Path folder : folders) {
            try (Stream<Path> files = Files.walk(folder)) {
                files.filter(Files::isRegularFile).sorted().forEach(snippets::read);
            } catch (IOException ex) {
                throw new UncheckedIOException(ex);
            }
        }
        return snippets;
    }

    Map<String, String> all() {
        return texts;
    }

    String text(String name) {
        String text = texts.get(name);
        if (text == null) {
            throw new AssertionError("There is no snippet '%s'; there are %s".formatted(name, texts.keySet()));
        }
        return text;
    }

    private void read(Path file) {
        String name = "";
        List<String> lines = new ArrayList<>();
        for (String line : lines(file)) {
            Matcher begin = BEGIN.matcher(line);
            if (begin.matches()) {
                require(name.isEmpty(), file, "snippet '%s' has no end".formatted(name));
                name = begin.group(1);
                lines.clear();
            } else if (END.matcher(line).matches() && !name.isEmpty()) {
                String text = String.join("\n", lines).stripIndent().strip();
                require(texts.put(name, text) == null, file, "snippet '%s' is there twice".formatted(name));
                name = "";
            } else {
                lines.add(line);
            }
        }
        require(name.isEmpty(), file, "snippet '%s' has no end".formatted(name));
    }

    private static List<String> lines(Path file) {
        try {
            return Files.readAllLines(file);
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

    private static void require(boolean right, Path file, String problem) {
        if (!right) {
            throw new AssertionError(file + ": " + problem);
        }
    }
}
