package dev.jobqueue.docs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A page of the documentation: its fenced blocks, headings and links. */
final class MarkdownPage {

    private static final Pattern INCLUDE = Pattern.compile("\\s*<!-- snippet: ([\\w, -]+) -->");
    private static final Pattern FENCE = Pattern.compile("(\\s*)```(\\w*)");
    private static final Pattern HEADING = Pattern.compile("#+ +(.*?) *");
    private static final Pattern LINK = Pattern.compile("]\\(([^)\\s]+)\\)");
    private static final Pattern CODE = Pattern.compile("`[^`]*`");

    private final Path file;
    private List<String> lines;

    MarkdownPage(Path file) {
        this.file = file;
        try {
            this.lines = Files.readAllLines(file);
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

    /** README and everything in docs. */
    static List<MarkdownPage> all(Path root) {
        try (Stream<Path> docs = Files.walk(root.resolve("docs"))) {
            Stream<Path> top =
                    Stream.of("README.md", "CONTRIBUTING.md", "CHANGELOG.md").map(root::resolve);
            return Stream.concat(top, docs.filter(path -> path.toString().endsWith(".md")))
                    .map(Path::normalize)
                    .sorted()
                    .map(MarkdownPage::new)
                    .toList();
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

    Path file() {
        return file;
    }

    String name() {
        return String.valueOf(file.getFileName());
    }

    String text() {
        return String.join("\n", lines);
    }

    /** The fenced blocks, each with the names of the snippets that it includes. */
    List<Block> blocks() {
        List<Block> blocks = new ArrayList<>();
        for (int i = 0; i < lines.size(); i++) {
            Matcher fence = FENCE.matcher(lines.get(i));
            if (fence.matches()) {
                Matcher include = INCLUDE.matcher(i == 0 ? "" : lines.get(i - 1));
                List<String> names =
                        include.matches() ? List.of(include.group(1).split(", *")) : List.of();
                int end = i + 1;
                while (!lines.get(end).strip().equals("```")) {
                    end++;
                }
                blocks.add(new Block(
                        i + 1, end, fence.group(1), fence.group(2), names, unindented(i + 1, end, fence.group(1))));
                i = end;
            }
        }
        return blocks;
    }

    /** The first block of a language. */
    Block block(String language) {
        return blocks().stream()
                .filter(block -> block.language().equals(language))
                .findFirst()
                .orElseThrow();
    }

    private String unindented(int from, int to, String indent) {
        return String.join(
                "\n",
                lines.subList(from, to).stream()
                        .map(line -> line.startsWith(indent) ? line.substring(indent.length()) : line)
                        .toList());
    }

    /** Headings as they are linked to. */
    List<String> anchors() {
        return prose().map(HEADING::matcher)
                .filter(Matcher::matches)
                .map(heading -> heading.group(1)
                        .toLowerCase(Locale.ROOT)
                        .replaceAll("[^\\p{Alnum} _-]", "")
                        .replace(' ', '-'))
                .toList();
    }

    List<String> links() {
        return prose().map(line -> CODE.matcher(line).replaceAll("code"))
                .flatMap(line -> LINK.matcher(line).results())
                .map(link -> link.group(1))
                .toList();
    }

    /** All but the fenced blocks. */
    String proseText() {
        return prose().collect(Collectors.joining("\n"));
    }

    private Stream<String> prose() {
        List<Block> blocks = blocks();
        return java.util.stream.IntStream.range(0, lines.size())
                .filter(i -> blocks.stream().noneMatch(block -> i >= block.from() && i < block.to()))
                .mapToObj(lines::get);
    }

    /** The lines between two headings of the second level. */
    String section(String heading) {
        int from = lines.indexOf("## " + heading);
        int to = from + 1;
        while (to < lines.size() && !lines.get(to).startsWith("## ")) {
            to++;
        }
        return String.join("\n", lines.subList(from, to));
    }

    /** Puts the text of the snippets into the blocks that include them, and writes the page if that changed it. */
    void update(UnaryOperator<String> snippets) {
        List<String> updated = new ArrayList<>(lines);
        List<Block> blocks = blocks();
        for (int i = blocks.size() - 1; i >= 0; i--) {
            Block block = blocks.get(i);
            if (!block.names().isEmpty()) {
                List<String> body = updated.subList(block.from(), block.to());
                body.clear();
                block.expected(snippets)
                        .lines()
                        .map(line -> line.isEmpty() ? line : block.indent() + line)
                        .forEach(body::add);
            }
        }
        if (!updated.equals(lines)) {
            lines = updated;
            try {
                Files.write(file, lines);
            } catch (IOException ex) {
                throw new UncheckedIOException(ex);
            }
        }
    }

    /**
     * A fenced block.
     *
     * @param from the line after its opening fence, from 0
     * @param to the line of its closing fence
     */
    record Block(int from, int to, String indent, String language, List<String> names, String text) {

        String expected(UnaryOperator<String> snippets) {
            return String.join("\n", names.stream().map(snippets).toList());
        }
    }
}
