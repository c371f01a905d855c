package dev.jobqueue.benchmarks.measure;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ResultsTests {

    @TempDir
    private Path directory;

    private Results results;

    @BeforeEach
    void addThreeRounds() {
        results = new Results(directory.resolve("samples.tsv"));
        add("ours", 100, 50, 210);
        add("one", 50, 10, 70);
        add("other", 40, 20, 30);
    }

    private void add(String subject, double... values) {
        for (int round = 1; round <= values.length; round++) {
            results.add(round, "drain", subject, values[round - 1], "jobs/s", 0);
        }
    }

    @Test
    void takesTheMedianOfTheRatiosRoundByRound() {
        assertThat(results.ratio("drain", "ours", "one")).isEqualTo(new Spread(3, 2, 5, 3));
    }

    @Test
    void comparesWithTheReferenceOfTheBestMedian() {
        assertThat(results.ratioToBest("drain", "ours", List.of("other", "nobody", "one")))
                .isEqualTo(results.ratio("drain", "ours", "one"));
    }

    @Test
    void tellsWhatWasNotMeasured() {
        Bar bar = Bar.atLeast("nothing", "", results.ratio("drain", "ours", "nobody"), 1);
        assertThat(bar.verdict()).isEqualTo("not measured");
    }

    @Test
    void judgesByTheLimit() {
        assertThat(atMostTwo(1.5)).isEqualTo("met");
        assertThat(atMostTwo(2.2)).isEqualTo("met within 10 %");
        assertThat(atMostTwo(2.21)).isEqualTo("NOT MET");
        assertThat(atLeastTwo(2)).isEqualTo("met");
        assertThat(atLeastTwo(1.8)).isEqualTo("met within 10 %");
        assertThat(atLeastTwo(1.79)).isEqualTo("NOT MET");
    }

    @Test
    void keepsEverySampleAndPrintsTheTables() throws IOException {
        results.addCosts(1, "ours", Map.of("server CPU, us", 7.0));
        results.addCosts(2, "ours", Map.of("server CPU, us", 9.0));
        Bar bar = Bar.atLeast("ours / one", "x", results.ratio("drain", "ours", "one"), 2);
        Report report = new Report(results, List.of(bar), List.of("a machine"));
        assertThat(Files.readAllLines(directory.resolve("samples.tsv"))).hasSize(12);
        assertThat(report.text()).contains("ours / one  >= 2.00  3.00 x    2.00 - 5.00  met");
        assertThat(report.markdown())
                .contains("| ours / one | >= 2.00 | 3.00 x | 2.00 - 5.00 | met |")
                .contains("| drain | ours | 100 jobs/s | 50.0 - 210 | 3 |")
                .contains("| ours | 8.00 |");
    }

    private static String atMostTwo(double value) {
        return Bar.atMost("p50", "ms", always(value), 2).verdict();
    }

    private static String atLeastTwo(double value) {
        return Bar.atLeast("ratio", "", always(value), 2).verdict();
    }

    private static Spread always(double value) {
        return Spread.of(List.of(value));
    }
}
