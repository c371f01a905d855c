package dev.jobqueue.operate;

import java.util.Objects;

/**
 * Where a {@link JobPage} or {@link LanePage} begins. Its text may be kept, or sent to a browser and back: it is made
 * of letters, digits, {@code -} and {@code _}. It belongs to the filter or the limit of the page that told it.
 *
 * @param text the text; empty for the first page
 */
public record JobCursor(String text) {

    /** Where the first page begins. */
    public static final JobCursor START = new JobCursor("");

    /**
     * Refuses {@code null}; any other text is checked when a page is asked for.
     *
     * @param text the text; empty for the first page
     */
    public JobCursor {
        Objects.requireNonNull(text, "text");
    }

    /** {@return the text} */
    @Override
    public String toString() {
        return text;
    }
}
