package dev.jobqueue.dashboard;

import dev.jobqueue.operate.DeadGroup;
import dev.jobqueue.operate.JobOperations;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Completes the word of a query under the caret: with keys, states, and the types and queues there are. */
final class Completion implements Endpoints {

    private static final int MOST = 20;

    private static final Duration DEAD = Duration.ofSeconds(10);

    private final JobOperations operations;
    private final Overview overview;
    private Set<String> dead = Set.of();
    private long deadAt;

    Completion(JobOperations operations, Overview overview) {
        this.operations = operations;
        this.overview = overview;
    }

    @Override
    public void addTo(Routes routes) {
        routes.get("complete", this::complete);
    }

    List<Map<String, String>> complete(Call call) {
        String query = call.request().getParameter("q");
        String text = query == null ? "" : query;
        int at = call.parameter("at") == null ? text.length() : caret(String.valueOf(call.parameter("at")), text);
        List<String> words = Query.words(text.substring(0, at));
        String word = words.get(words.size() - 1);
        int colon = word.indexOf(':');
        if (colon < 0) {
            return Query.KEYS.stream()
                    .filter(each -> each.startsWith(word.toLowerCase(Locale.ROOT)))
                    .map(each -> item(each + ":", each, "key"))
                    .toList();
        }
        String key = word.substring(0, colon);
        String begin = word.substring(colon + 1).replace("\"", "").toLowerCase(Locale.ROOT);
        return values(key).stream()
                .filter(each -> each.toLowerCase(Locale.ROOT).contains(begin))
                .limit(MOST)
                .map(each -> item(key + ":" + Query.quoted(each) + " ", each, key))
                .toList();
    }

    private static int caret(String at, String text) {
        try {
            return Math.max(0, Math.min(text.length(), Integer.parseInt(at)));
        } catch (NumberFormatException ex) {
            return text.length();
        }
    }

    private Collection<String> values(String key) {
        return switch (key) {
            case "state" ->
                Query.STATES.stream()
                        .map(each -> each.name().toLowerCase(Locale.ROOT))
                        .toList();
            case "queue" ->
                overview.queues().stream()
                        .map(each -> String.valueOf(each.get("queue")))
                        .toList();
            case "type" -> types();
            case "since", "before" -> List.of("5m", "1h", "1d", "7d");
            default -> List.of();
        };
    }

    /** Types that nodes handle, that wait for a node, or that died of one of the latest errors. */
    private Set<String> types() {
        Set<String> types = overview.types();
        types.addAll(deadTypes());
        return types;
    }

    /** Looked up anew after a while, and not for each letter that is typed. */
    private synchronized Set<String> deadTypes() {
        if (dead.isEmpty() || System.nanoTime() - deadAt > DEAD.toNanos()) {
            dead = operations.deadGroups(MOST).stream().map(DeadGroup::type).collect(Collectors.toSet());
            deadAt = System.nanoTime();
        }
        return dead;
    }

    private static Map<String, String> item(String insert, String label, String kind) {
        return Map.of("insert", insert, "label", label, "kind", kind);
    }
}
