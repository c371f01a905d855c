package dev.jobqueue.internal;

import java.io.Writer;
import org.jspecify.annotations.Nullable;

/** Collects texts that are written one after the other. A text that is written in one piece is copied only once. */
final class TextInPieces extends Writer {

    private String first = "";
    private @Nullable StringBuilder all;

    @Override
    public void write(char[] characters, int offset, int length) {
        if (all != null) {
            all.append(characters, offset, length);
        } else if (first.isEmpty()) {
            first = new String(characters, offset, length);
        } else {
            all = new StringBuilder(first).append(characters, offset, length);
        }
    }

    /** What was written since it was last asked for. */
    String take() {
        String text = all == null ? first : all.toString();
        first = "";
        all = null;
        return text;
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
}
