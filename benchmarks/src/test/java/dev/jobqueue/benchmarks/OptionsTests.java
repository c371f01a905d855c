package dev.jobqueue.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class OptionsTests {

    private static final List<String> PHASES = List.of("publish", "drain", "idle");

    private static Options parse(String... arguments) {
        return Options.parse(List.of(arguments), PHASES);
    }

    @Test
    void runsEveryPhaseInThreeRounds() {
        assertThat(parse().phases()).containsExactlyElementsOf(PHASES);
        assertThat(parse().rounds()).isEqualTo(3);
        assertThat(parse("--quick").rounds()).isEqualTo(1);
    }

    @Test
    void takesWhatIsAskedFor() {
        Options options = parse("--phase=idle,drain", "--rounds=5", "--out=elsewhere");
        assertThat(options.phases()).containsExactly("drain", "idle");
        assertThat(options.rounds()).isEqualTo(5);
        assertThat(options.out()).isEqualTo(Path.of("elsewhere"));
    }

    @Test
    void refusesWhatItDoesNotKnow() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> parse("--phase=sleep"))
                .withMessageContaining("'sleep' is no phase");
        assertThatIllegalArgumentException().isThrownBy(() -> parse("--fast")).withMessageContaining("'--fast'");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> parse("--rounds"))
                .withMessageContaining("needs a whole number");
    }
}
