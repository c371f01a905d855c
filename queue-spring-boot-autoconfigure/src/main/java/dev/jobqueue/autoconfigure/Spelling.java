package dev.jobqueue.autoconfigure;

import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/** How names are written, and which one somebody may have meant. */
final class Spelling {

    private static final Pattern PLAIN_NAME = Pattern.compile("[a-z0-9-]+");

    private Spelling() {}

    /** What the properties of a name in a group begin with: a name with a dot or a capital letter needs brackets. */
    static String property(String group, String name) {
        return PLAIN_NAME.matcher(name).matches() ? group + "." + name : group + "[" + name + "]";
    }

    static Optional<String> closest(String name, Collection<String> known) {
        return known.stream().min(Comparator.comparingInt(each -> distance(name, each)));
    }

    /** Whether one name may be a misspelling of the other: a third of it differs at most. */
    static boolean isClose(String name, String other) {
        return distance(name, other) <= Math.max(1, other.length() / 3);
    }

    /** The name in quotes, with what may have been meant. */
    static String describe(String name, Collection<String> known) {
        return closest(name, known)
                .filter(each -> isClose(name, each))
                .map(each -> "'%s' (did you mean '%s'?)".formatted(name, each))
                .orElse("'" + name + "'");
    }

    /** How many characters have to be added, removed, replaced or swapped to get from one text to the other. */
    private static int distance(String one, String other) {
        int[][] rows = new int[one.length() + 1][];
        rows[0] = IntStream.rangeClosed(0, other.length()).toArray();
        for (int i = 1; i <= one.length(); i++) {
            int[] previous = rows[i - 1];
            int[] current = new int[other.length() + 1];
            current[0] = i;
            for (int j = 1; j <= other.length(); j++) {
                int replaced = previous[j - 1] + (one.charAt(i - 1) == other.charAt(j - 1) ? 0 : 1);
                current[j] = Math.min(replaced, 1 + Math.min(previous[j], current[j - 1]));
                if (isSwapped(one, i, other, j)) {
                    current[j] = Math.min(current[j], 1 + rows[i - 2][j - 2]);
                }
            }
            rows[i] = current;
        }
        return rows[one.length()][other.length()];
    }

    private static boolean isSwapped(String one, int i, String other, int j) {
        return i > 1 && j > 1 && one.charAt(i - 1) == other.charAt(j - 2) && one.charAt(i - 2) == other.charAt(j - 1);
    }
}
