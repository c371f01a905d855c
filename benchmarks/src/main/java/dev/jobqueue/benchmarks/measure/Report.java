package dev.jobqueue.benchmarks.measure;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The tables at the end, as text for a terminal and as Markdown. */
public final class Report {

    private final List<String> remarks = new ArrayList<>();
    private final Table bars = new Table(List.of("bar", "wanted", "measured", "spread", "verdict"));
    private final Table costs;
    private final Table samples = new Table(List.of("metric", "subject", "median", "spread", "rounds"));

    public Report(Results results, Collection<Bar> measured, List<String> machine) {
        for (Bar bar : measured) {
            bars.add(List.of(
                    bar.what(), bar.limitText(), bar.valueText(), bar.value().range(), bar.verdict()));
        }
        costs = costs(results.costs());
        results.all()
                .forEach((metric, subjects) -> subjects.forEach((subject, rounds) -> {
                    Spread spread = Spread.of(rounds.values());
                    samples.add(List.of(
                            metric,
                            subject,
                            (Results.format(spread.median()) + " " + results.unit(metric)).strip(),
                            spread.range(),
                            Integer.toString(spread.rounds())));
                }));
        remarks.addAll(machine);
        remarks.add(results.disturbance());
        remarks.addAll(results.notes());
    }

    /** A line for each subject, a column for each cost, medians. */
    private static Table costs(Map<String, Map<String, List<Double>>> all) {
        Set<String> columns = new LinkedHashSet<>();
        all.values().forEach(each -> columns.addAll(each.keySet()));
        List<String> header = new ArrayList<>(List.of("per drained job"));
        header.addAll(columns);
        Table table = new Table(header);
        all.forEach((subject, values) -> {
            List<String> row = new ArrayList<>(List.of(subject));
            columns.forEach(column -> row.add(Results.format(
                    Spread.of(values.getOrDefault(column, List.of())).median())));
            table.add(row);
        });
        return table;
    }

    public String text() {
        StringBuilder text = new StringBuilder();
        remarks.forEach(line -> text.append(line).append('\n'));
        return text.append('\n')
                .append(samples.aligned())
                .append('\n')
                .append(costs.aligned())
                .append('\n')
                .append(bars.aligned())
                .toString();
    }

    public String markdown() {
        StringBuilder text = new StringBuilder("# Results of a run\n\n");
        remarks.forEach(line -> text.append("- ").append(line).append('\n'));
        return text.append("\n## The bars\n\n")
                .append(bars.piped())
                .append("\n## Where the time goes\n\n")
                .append(costs.piped())
                .append("\n## Every figure\n\n")
                .append(samples.piped())
                .toString();
    }
}
