package dev.jobqueue.survival;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.survival.cluster.Cluster;
import dev.jobqueue.survival.cluster.Timing;
import dev.jobqueue.survival.fault.Fault;
import dev.jobqueue.survival.ledger.Verb;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** The short form: every fault once. {@link Survival} is the long one. */
@DisabledOnOs(value = OS.WINDOWS, disabledReason = "has no SIGSTOP")
class SurvivalIntegrationTests {

    private static final long SEED = 8;

    @Test
    void keepsEveryPromiseWhateverIsBroken() throws IOException {
        Path directory = Files.createDirectories(Path.of("target", "survival"));
        try (Cluster cluster =
                Cluster.start(Files.createTempDirectory(directory, "short").toAbsolutePath(), Timing.SHORT)) {
            Campaign campaign = new Campaign(cluster, new Random(SEED), System.out);
            for (Fault fault : Fault.values()) {
                if (fault.isPossible()) {
                    campaign.strike(fault);
                } else {
                    System.out.printf("Left out, because libfaketime is not installed: %s%n", fault.description());
                }
            }
            campaign.finish();

            assertThat(campaign.violations()).isEmpty();
            // it happened, so it was put to the test
            assertThat(cluster.ledgers().count(Verb.COMMITTED)).isPositive();
            assertThat(cluster.ledgers().count(Verb.HELD)).isPositive();
            assertThat(cluster.ledgers().count(Verb.ROLLED_BACK)).isPositive();
            assertThat(cluster.ledgers().count(Verb.ACCEPTED)).isPositive();
        }
    }
}
