package dev.jobqueue.build;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** A plainly written Gradle script: one statement per line, without its comments. */
record KotlinScript(String file, String text) {

    private static final Pattern STRING = Pattern.compile("\"([^\"]*)\"");

    /** A module may do without a script; it is empty then. */
    static KotlinScript read(Path root, String file) {
        Path path = root.resolve(file);
        if (!Files.exists(path)) {
            return new KotlinScript(file, "");
        }
        try {
            return new KotlinScript(
                    file,
                    Files.readAllLines(path).stream()
                            .map(line -> line.replaceFirst("(^|\\s)//.*$", "").strip())
                            .collect(Collectors.joining("\n")));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** What stands between the braces of {@code opening { ... }}; empty if that is not there. */
    KotlinScript block(String opening) {
        int start = ("\n" + text).indexOf("\n" + opening + " {");
        return new KotlinScript(file, start < 0 ? "" : enclosed(start, '{', '}'));
    }

    /** What stands between the parentheses of {@code function( ... )}; empty if that is not there. */
    KotlinScript call(String function) {
        int start = text.indexOf(function + "(");
        return new KotlinScript(file, start < 0 ? "" : enclosed(start, '(', ')'));
    }

    private String enclosed(int from, char open, char close) {
        int start = text.indexOf(open, from) + 1;
        int depth = 1;
        int end = start;
        while (end < text.length() && depth > 0) {
            char next = text.charAt(end++);
            depth += next == open ? 1 : next == close ? -1 : 0;
        }
        return text.substring(start, Math.max(start, end - 1));
    }

    List<MatchResult> all(Pattern pattern) {
        return pattern.matcher(text).results().toList();
    }

    /** The first group of every match. */
    List<String> each(String regex) {
        return all(Pattern.compile(regex)).stream().map(match -> match.group(1)).toList();
    }

    List<String> strings() {
        return strings(text);
    }

    static List<String> strings(String text) {
        return STRING.matcher(text).results().map(match -> match.group(1)).toList();
    }
}
