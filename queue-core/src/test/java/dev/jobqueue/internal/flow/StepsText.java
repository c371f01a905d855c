package dev.jobqueue.internal.flow;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Steps as a text, one for a line: {@code pay}, {@code pack < pay RUN}, {@code label* < pack} (of the group label),
 * {@code ok signal 1 day < pack}, {@code nap timer 1 day}, {@code pay ~refund} (with a compensation). The type of a job
 * is its name or group.
 */
final class StepsText {

    private StepsText() {}

    static String json(String steps) {
        return Arrays.stream(steps.strip().split("\n"))
                .map(line -> step(line.strip()))
                .collect(Collectors.joining(",\n", "[", "]"));
    }

    private static String step(String line) {
        String[] halves = line.split("<", 2);
        List<String> words = List.of(halves[0].strip().split(" "));
        boolean grouped = words.get(0).endsWith("*");
        String name = words.get(0).replace("*", "");
        String json = "{\"%s\": \"%s\"".formatted(grouped ? "group" : "name", name);
        if (words.contains("signal")) {
            json += ", \"kind\": \"signal\"" + (words.size() > 2 ? ", \"timeout\": \"%s\"".formatted(span(words)) : "");
        } else if (words.contains("timer")) {
            json += ", \"kind\": \"timer\", \"delay\": \"%s\"".formatted(span(words));
        } else {
            json += ", \"job\": {\"type\": \"%s\", \"payload\": {}}".formatted(name);
        }
        if (words.get(words.size() - 1).startsWith("~")) {
            json += ", \"compensate\": {\"type\": \"%s\", \"payload\": {}}"
                    .formatted(words.get(words.size() - 1).substring(1));
        }
        return json + (halves.length == 2 ? after(halves[1].strip()) : "") + "}";
    }

    private static String span(List<String> words) {
        return String.join(" ", words.subList(2, words.size()));
    }

    private static String after(String text) {
        List<String> words = List.of(text.split(" "));
        List<String> policies = List.of("CANCEL", "RUN", "WAIT");
        String after = words.stream()
                .filter(word -> !policies.contains(word))
                .map(word -> '"' + word + '"')
                .collect(Collectors.joining(", ", ", \"after\": [", "]"));
        return words.stream()
                        .filter(policies::contains)
                        .map(policy -> ", \"on_parent_dead\": \"" + policy + '"')
                        .collect(Collectors.joining())
                + after;
    }
}
