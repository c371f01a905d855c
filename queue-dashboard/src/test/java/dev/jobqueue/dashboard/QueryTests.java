package dev.jobqueue.dashboard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobqueue.JobState;
import dev.jobqueue.operate.JobFilter;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class QueryTests {

    @Test
    void readsAllConditions() {
        Query query = Query.parse("state:dead type:invoice.send queue:\"a b\" key:acc-7 error:\"timed \\\"out\\\" 5%\""
                + " before:2026-11-18T10:00Z since:2026-11-17 fingerprint:abc");

        assertThat(query.onlyFilter())
                .isEqualTo(JobFilter.of(JobState.DEAD)
                        .type("invoice.send")
                        .queue("a b")
                        .uniqueKey("acc-7")
                        .errorLike("%timed \"out\" 5\\%%")
                        .before(Instant.parse("2026-11-18T10:00:00Z"))
                        .since(Instant.parse("2026-11-17T00:00:00Z"))
                        .fingerprint("abc"));
    }

    @Test
    void readsAges() {
        Instant since = Query.parse("state:dead since:90m").onlyFilter().since();
        assertThat(Duration.between(since, Instant.now())).isBetween(Duration.ofMinutes(90), Duration.ofMinutes(91));
    }

    @Test
    void findsAJobByItsIdAlone() {
        UUID id = UUID.randomUUID();
        assertThat(Query.parse(" " + id + " ").id()).isEqualTo(id);
        assertThatThrownBy(() -> Query.parse(id + " state:dead")).isInstanceOf(Refusal.class);
    }

    @Test
    void goesThroughAllStatesWhereNoneIsGiven() {
        assertThat(Query.parse(null).states()).hasSize(7);
        assertThat(Query.parse("fingerprint:abc").states()).containsExactly(JobState.DEAD);
        assertThatThrownBy(() -> Query.parse("type:x").onlyFilter()).hasMessageContaining("must name their state");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "stat:dead | 'stat' means nothing here",
                "dead | 'dead' means nothing here",
                "state:deed | state:deed is none of running, pending",
                "type:a type:b | 'type:' stands twice",
                "type:\"a | is a quote not closed",
                "type: | 'type:' has no value",
                "queue:a state | 'state' has no value",
                "since:soon | since:soon is neither an age"
            })
    void refusesWhatMeansNothing(String query, String message) {
        assertThatThrownBy(() -> Query.parse(query)).isInstanceOf(Refusal.class).hasMessageContaining(message);
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "\\\\", "a b "})
    void readsTextsOfAnyLength(String part) {
        String text = part.repeat(100_000);
        assertThat(Query.parse("error:\"" + text + "\"").values().get("error")).isEqualTo(text.replace("\\\\", "\\"));
    }

    @Test
    void quotesWhatHasBlanks() {
        String value = "a \"b\" \\c";
        assertThat(Query.parse("state:dead type:" + Query.quoted(value))
                        .onlyFilter()
                        .type())
                .isEqualTo(value);
        assertThat(Query.quoted("plain.type")).isEqualTo("plain.type");
    }
}
