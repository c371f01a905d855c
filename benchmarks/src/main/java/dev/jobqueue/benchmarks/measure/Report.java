package dev.jobqueue.benchmarks.measure;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;

/** The tables at the end, as text for a terminal and as Markdown. */
public final class Report {

    private static final List<String> BAR_HEADER = List.of("bar", "wanted", "measured", "beyond", "verdict");
    private static final List<String> SAMPLE_HEADER = List.of("metric", "subject", "median", "from", "to", "rounds");

    private final List<List<String>> bars = new ArrayList<>();
    private final List<List<String>> samples = new ArrayList<>();
    private final List<String> remarks = new ArrayList<>();

    public Report(Results results, Collection<Bar> measured, List<String> machine) {
        for (Bar bar : measured) {
            bars.add(List.of(bar.what(), bar.limitText(), bar.valueText(), bar.beyondText(), bar.verdict()));
        }
        results.all()
                .forEach((metric, subjects) -> subjects.forEach((subject, rounds) -> {
                    List<Double> values = List.copyOf(rounds.values());
                    samples.add(List.of(
                            metric,
                            subject,
                            (Results.format(Results.median(values)) + " " + results.unit(metric)).strip(),
                            Results.format(Collections.min(values)),
                            Results.format(Collections.max(values)),
                            Integer.toString(values.size())));
                }));
        remarks.addAll(machine);
        remarks.add(results.disturbance());
        remarks.addAll(results.notes());
    }

    public String text() {
        StringBuilder text = new StringBuilder();
        remarks.forEach(line -> text.append(line).append('\n'));
        return text.append('\n')
                .append(aligned(SAMPLE_HEADER, samples))
                .append('\n')
                .append(aligned(BAR_HEADER, bars))
                .toString();
    }

    public String markdown() {
        StringBuilder text = new StringBuilder();
        remarks.forEach(line -> text.append("- ").append(line).append('\n'));
        return text.append("\n## Bars\n\n")
                .append(piped(BAR_HEADER, bars))
                .append("\n## Samples\n\n")
                .append(piped(SAMPLE_HEADER, samples))
                .toString();
    }

    private static String aligned(List<String> header, List<List<String>> rows) {
        int[] widths = new int[header.size()];
        List<List<String>> all = new ArrayList<>(List.of(header));
        all.addAll(rows);
        all.forEach(row -> {
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], row.get(i).length());
            }
        });
        StringBuilder text = new StringBuilder();
        for (List<String> row : all) {
            StringBuilder line = new StringBuilder();
            for (int i = 0; i < widths.length; i++) {
                line.append(row.get(i)).append(" ".repeat(widths[i] - row.get(i).length() + 2));
            }
            text.append(line.toString().stripTrailing()).append('\n');
        }
        return text.toString();
    }

    private static String piped(List<String> header, List<List<String>> rows) {
        StringBuilder text = new StringBuilder();
        text.append("| ").append(String.join(" | ", header)).append(" |\n");
        text.append("|").append("---|".repeat(header.size())).append('\n');
        rows.forEach(row -> text.append("| ").append(String.join(" | ", row)).append(" |\n"));
        return text.toString();
    }
}
