package dev.jobqueue.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A Markdown page of which one part is the results of a run. */
final class Page {

    static final String BEGIN = "<!-- results: begin -->";
    static final String END = "<!-- results: end -->";

    private Page() {}

    /** Throws if the page is not there, or not marked. */
    static void check(Path page) throws IOException {
        String text = Files.readString(page);
        int begin = text.indexOf(BEGIN);
        if (begin < 0 || text.indexOf(END) < begin) {
            throw new IOException("'%s' has no lines '%s' and '%s'".formatted(page, BEGIN, END));
        }
    }

    /** Puts the results between the two markers. */
    static void replace(Path page, String results) throws IOException {
        check(page);
        String text = Files.readString(page);
        String before = text.substring(0, text.indexOf(BEGIN) + BEGIN.length());
        Files.writeString(page, before + "\n\n" + results + "\n" + text.substring(text.indexOf(END)));
    }
}
