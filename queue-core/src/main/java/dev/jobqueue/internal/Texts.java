package dev.jobqueue.internal;

import dev.jobqueue.InvalidJobException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Refuses texts that the database cannot store, or would change: a text that was cut in the middle of a character has
 * half of a surrogate pair, which would become a '?' on its way.
 */
public final class Texts {

    private Texts() {}

    /**
     * Refuses a text that was cut.
     *
     * @param what what the text is, for the message
     */
    public static void requireWhole(String what, @Nullable String text) {
        if (text != null && half(text) >= 0) {
            throw refusal(what, text);
        }
    }

    /**
     * Refuses a text that the database would refuse. Where it is stored later, nobody could tell the caller any more.
     *
     * @param what what the text is, for the message
     * @param most how many characters it may have
     */
    public static void requireStorable(String what, @Nullable String text, int most) {
        if (text == null) {
            return;
        }
        if (text.indexOf('\0') >= 0) {
            throw new InvalidJobException("%s has a NUL character, which PostgreSQL cannot store".formatted(what));
        }
        if (text.length() > most && text.codePointCount(0, text.length()) > most) {
            throw new InvalidJobException("%s has %d characters: must have at most %d"
                    .formatted(what, text.codePointCount(0, text.length()), most));
        }
    }

    static boolean isCut(String text) {
        return !isLatin(text) && half(text) >= 0;
    }

    /**
     * Faster than to look at each character, except for short texts: the JVM keeps Latin texts as these bytes.
     */
    private static boolean isLatin(String text) {
        return text.equals(new String(text.getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.ISO_8859_1));
    }

    static InvalidJobException refusal(String what, String cut) {
        int half = half(cut);
        return new InvalidJobException(
                ("%s has half of a surrogate pair, '\\u%04x' at character %d: must have whole characters only."
                                + " Cut texts with String.offsetByCodePoints, for example.")
                        .formatted(what, (int) cut.charAt(half), half + 1));
    }

    private static int half(String text) {
        for (int i = 0; i < text.length(); i++) {
            // the first comparison is enough for nearly every character
            if (text.charAt(i) >= Character.MIN_SURROGATE && Character.isSurrogate(text.charAt(i))) {
                if (i + 1 == text.length() || !Character.isSurrogatePair(text.charAt(i), text.charAt(i + 1))) {
                    return i;
                }
                i++;
            }
        }
        return -1;
    }
}
