package dev.jobqueue.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.util.Map;
import org.junit.jupiter.api.Test;

class TestServerTests {

    @Test
    void replacesTheDatabaseOfAUrlAndKeepsItsOptions() {
        assertThat(TestServer.withDatabase("jdbc:postgresql://db:5433/app?ssl=true&x=a/b", "fresh"))
                .isEqualTo("jdbc:postgresql://db:5433/fresh?ssl=true&x=a/b");
        assertThat(TestServer.withDatabase("jdbc:postgresql://db/app", "fresh"))
                .isEqualTo("jdbc:postgresql://db/fresh");
    }

    @Test
    void prefersTheServerNamedByTheEnvironmentAndSaysSoWhenItDoesNotAnswer() {
        Map<String, String> environment = Map.of(TestServer.URL_VARIABLE, "jdbc:postgresql://localhost:1/none");
        assertThatIllegalStateException()
                .isThrownBy(() -> TestServer.choose(environment))
                .withMessageContaining("jdbc:postgresql://localhost:1/none")
                .withMessageContaining(TestServer.URL_VARIABLE);
    }
}
