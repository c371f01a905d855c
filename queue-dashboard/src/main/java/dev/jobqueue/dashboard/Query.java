package dev.jobqueue.dashboard;

import dev.jobqueue.JobState;
import dev.jobqueue.operate.JobFilter;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Which jobs somebody looks for: {@code state:dead type:invoice.send error:"timed out"}, or an id alone. A value with
 * blanks stands in quotes, in which a backslash makes the next character stand for itself.
 *
 * @param id the job that was named; {@code null} if there are conditions instead
 * @param values the conditions, by their names
 */
record Query(@Nullable UUID id, Map<String, String> values) {

    static final List<String> KEYS =
            List.of("state", "type", "queue", "key", "error", "since", "before", "fingerprint", "flow");

    /** The order in which they are listed where no state is given. */
    static final List<JobState> STATES = List.of(
            JobState.RUNNING,
            JobState.PENDING,
            JobState.WAITING,
            JobState.SCHEDULED,
            JobState.DEAD,
            JobState.COMPLETED,
            JobState.CANCELLED);

    /** What stands in quotes is taken once and for all: to go back over it takes a frame of the stack for each. */
    private static final Pattern WORD =
            Pattern.compile("\\s*(?:([a-z]+):)?(\"((?:[^\"\\\\]++|\\\\.)*+)\"|[^\\s\"]+)(?=\\s|$)");

    private static final Pattern AGE = Pattern.compile("(\\d{1,6})(s|m|h|d|w)");

    /** Reads a query; refuses words that mean nothing. */
    static Query parse(@Nullable String text) {
        String rest = text == null ? "" : text.strip();
        Map<String, String> values = new LinkedHashMap<>();
        UUID id = null;
        Matcher word = WORD.matcher(rest);
        int end = 0;
        while (end < rest.length()) {
            if (!word.find(end) || word.start() != end) {
                throw Refusal.invalid("'%s' cannot be read: is a quote not closed?"
                        .formatted(rest.substring(end).strip()));
            }
            end = word.end();
            String key = word.group(1);
            String quoted = word.group(3);
            String value = quoted == null ? word.group(2) : quoted.replaceAll("\\\\(.)", "$1");
            if (key == null && KEYS.contains(value.replaceFirst(":$", ""))) {
                throw Refusal.invalid("'%s' has no value.".formatted(value));
            } else if (key == null) {
                id = uuid(value);
            } else if (!KEYS.contains(key)) {
                throw unknown(key);
            } else if (values.put(key, value) != null) {
                throw Refusal.invalid("'%s:' stands twice in the query.".formatted(key));
            }
        }
        if (id != null && !values.isEmpty()) {
            throw Refusal.invalid("An id finds its job alone: leave the other words out.");
        }
        Query query = new Query(id, values);
        query.states().forEach(query::filter);
        return query;
    }

    private static UUID uuid(String word) {
        try {
            if (word.length() == 36) {
                return UUID.fromString(word);
            }
        } catch (IllegalArgumentException ex) {
            // told below
        }
        throw unknown(word);
    }

    private static Refusal unknown(String word) {
        return Refusal.invalid("'%s' means nothing here. A query is the id of a job, or some of: %s"
                .formatted(word, KEYS.stream().map(each -> each + ":...").collect(Collectors.joining(" "))));
    }

    /** The state, or all of them in the order of the list. */
    List<JobState> states() {
        String state = values.get("state");
        if (state != null) {
            return Arrays.stream(JobState.values())
                    .filter(each -> each.name().equalsIgnoreCase(state))
                    .findFirst()
                    .map(List::of)
                    .orElseThrow(() -> Refusal.invalid("state:%s is none of %s"
                            .formatted(
                                    state,
                                    STATES.stream()
                                            .map(each -> each.name().toLowerCase(Locale.ROOT))
                                            .collect(Collectors.joining(", ")))));
        }
        return values.containsKey("fingerprint") ? List.of(JobState.DEAD) : STATES;
    }

    JobFilter filter(JobState state) {
        String error = values.get("error");
        String flow = values.get("flow");
        return JobFilter.of(state)
                .queue(values.get("queue"))
                .type(values.get("type"))
                .uniqueKey(values.get("key"))
                .errorLike(error == null ? null : "%" + error.replaceAll("[\\\\%_]", "\\\\$0") + "%")
                .since(time("since"))
                .before(time("before"))
                .fingerprint(values.get("fingerprint"))
                .flow(flow == null ? null : uuid(flow));
    }

    /** For somebody who acts on all that match. */
    JobFilter onlyFilter() {
        if (id != null || states().size() != 1) {
            throw Refusal.invalid(
                    "To act on all jobs that match, the query must name their state, such as state:dead.");
        }
        return filter(states().get(0));
    }

    private @Nullable Instant time(String key) {
        String value = values.get(key);
        if (value == null) {
            return null;
        }
        Matcher age = AGE.matcher(value);
        if (age.matches()) {
            return Instant.now().minus(unit(age.group(2)).multipliedBy(Long.parseLong(age.group(1))));
        }
        try {
            return value.contains("T")
                    ? OffsetDateTime.parse(value).toInstant()
                    : LocalDate.parse(value).atStartOfDay(ZoneOffset.UTC).toInstant();
        } catch (DateTimeException ex) {
            throw Refusal.invalid(
                    "%s:%s is neither an age such as 90s, 5m, 1h, 2d, nor a time such as 2026-11-18T10:00Z"
                            .formatted(key, value));
        }
    }

    private static Duration unit(String unit) {
        return switch (unit) {
            case "s" -> Duration.ofSeconds(1);
            case "m" -> Duration.ofMinutes(1);
            case "h" -> Duration.ofHours(1);
            case "d" -> Duration.ofDays(1);
            default -> Duration.ofDays(7);
        };
    }

    /** A value as it must stand in a query. */
    static String quoted(String value) {
        return value.isEmpty() || value.matches(".*[\\s\"].*")
                ? '"' + value.replaceAll("[\\\\\"]", "\\\\$0") + '"'
                : value;
    }

    /** The words of a query, which may end in the middle of one. */
    static List<String> words(String text) {
        List<String> words = new ArrayList<>();
        StringBuilder word = new StringBuilder();
        boolean inQuotes = false;
        for (int i = 0; i < text.length(); i++) {
            char each = text.charAt(i);
            inQuotes ^= each == '"';
            if (Character.isWhitespace(each) && !inQuotes) {
                words.add(word.toString());
                word.setLength(0);
            } else {
                word.append(each);
            }
        }
        words.add(word.toString());
        return words;
    }
}
