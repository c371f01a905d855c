package dev.jobqueue.benchmarks.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
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
        assertThat(results.ratio("drain", "ours", "one")).isCloseTo(3, within(1e-9));
    }

    @Test
    void comparesWithWhicheverWasBestInARound() {
        assertThat(results.ratioToBest("drain", "ours", List.of("one", "other")))
                .isCloseTo(2.5, within(1e-9));
    }

    @Test
    void tellsWhatWasNotMeasured() {
        Bar bar = Bar.atLeast("nothing", "", results.ratio("drain", "ours", "nobody"), 1, 2);
        assertThat(bar.verdict()).isEqualTo("not measured");
    }

    @Test
    void judgesByTheLimit() {
        assertThat(Bar.atMost("p50", "ms", 1.5, 2, 1).verdict()).isEqualTo("met");
        assertThat(Bar.atMost("p50", "ms", 0.5, 2, 1).verdict()).isEqualTo("met, and beyond");
        assertThat(Bar.atLeast("ratio", "", 0.5, 0.6, Double.NaN).verdict()).isEqualTo("NOT MET");
    }

    @Test
    void keepsEverySampleAndPrintsBothTables() throws IOException {
        Report report = new Report(results, List.of(Bar.atLeast("ours / one", "x", 3, 2, 4)), List.of("a machine"));
        assertThat(Files.readAllLines(directory.resolve("samples.tsv"))).hasSize(10);
        assertThat(report.text()).contains("ours / one  >= 2.00  3.00 x    4.00    met");
        assertThat(report.markdown()).contains("| ours / one | >= 2.00 | 3.00 x | 4.00 | met |");
    }
}
