package dev.jobqueue.docs;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A block of SQL to run, and what it prints, if the page shows that below it.
 *
 * @param line where it begins in the page
 */
record SqlExample(int line, String sql, Optional<String> answer) {

    private static final Pattern SIGNATURE = Pattern.compile("(?s)[a-z_]\\w*\\(.*");

    static List<SqlExample> beforePython(MarkdownPage page) {
        int python = page.block("python").from();
        return of(page).stream().filter(example -> example.line() < python).toList();
    }

    /** What is asked while the worker in Python runs. */
    static List<SqlExample> afterPython(MarkdownPage page) {
        int python = page.block("python").from();
        return of(page).stream().filter(example -> example.line() > python).toList();
    }

    private static List<SqlExample> of(MarkdownPage page) {
        List<SqlExample> examples = new ArrayList<>();
        List<MarkdownPage.Block> blocks = page.blocks();
        for (int i = 0; i < blocks.size(); i++) {
            MarkdownPage.Block block = blocks.get(i);
            if (block.language().equals("sql") && !isSignature(block)) {
                MarkdownPage.Block next = blocks.get(i + 1);
                boolean answered = next.language().equals("text") && next.from() - block.to() <= 3;
                examples.add(new SqlExample(
                        block.from(), block.text(), answered ? Optional.of(next.text()) : Optional.empty()));
            }
        }
        return examples;
    }

    static boolean isSignature(MarkdownPage.Block block) {
        return block.language().equals("sql") && SIGNATURE.matcher(block.text()).matches();
    }
}
