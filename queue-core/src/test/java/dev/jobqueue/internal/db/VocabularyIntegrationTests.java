package dev.jobqueue.internal.db;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.HandlerDefinition;
import dev.jobqueue.InvalidJobException;
import dev.jobqueue.JobState;
import dev.jobqueue.RetryPolicy;
import dev.jobqueue.internal.QueueFixture;
import dev.jobqueue.internal.Spans;
import dev.jobqueue.internal.claim.DirectLeases;
import dev.jobqueue.internal.handle.ClaimedJob;
import dev.jobqueue.internal.publish.NewJobs;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class VocabularyIntegrationTests {

    private static final QueueFixture queue = new QueueFixture();

    @Test
    void isTheSameInJavaAndInTheReferenceTable() {
        List<String> inJava = Arrays.stream(JobState.values())
                .map(state -> "%s %s %s".formatted(state, state.isTerminal(), state.isClaimable()))
                .toList();

        assertThat(queue.list(
                        String.class,
                        "SELECT concat_ws(' ', state, is_terminal::text, is_claimable::text) FROM queue.job_state"))
                .containsExactlyInAnyOrderElementsOf(inJava);
    }

    @Test
    void allowsLiveJobsTheStatesThatAreNotTerminal() {
        assertThat(liveStates()).isEqualTo(Set.of("SCHEDULED", "PENDING", "WAITING", "RUNNING"));
        assertThat(liveStates())
                .isEqualTo(Arrays.stream(JobState.values())
                        .filter(state -> !state.isTerminal())
                        .map(JobState::name)
                        .collect(Collectors.toSet()));
    }

    @Test
    void dividesAllStatesAmongTheTables() {
        Set<String> states = new TreeSet<>(liveStates());
        states.addAll(finishedStates());
        states.add("DEAD");

        assertThat(states)
                .isEqualTo(Arrays.stream(JobState.values()).map(JobState::name).collect(Collectors.toSet()));
        assertThat(finishedStates()).isEqualTo(Set.of("COMPLETED", "CANCELLED"));
    }

    /** The default stands in several functions, because a look at another one would cost each claim something. */
    @Test
    void hasOneDefaultForRetries() {
        int attempts = RetryPolicy.DEFAULT.maxAttempts();
        UUID id = queue.publish();
        UUID worker = UUID.randomUUID();
        List<UUID> direct = queue.publications.publish(
                List.of(NewJobs.of(UUID.randomUUID(), "mail", "{}")),
                false,
                new DirectLeases(worker, List.of(-7L), Map.of()));

        assertThat(queue.claim().maxAttempts()).isEqualTo(attempts);
        assertThat(queue.claims.confirm(worker, List.of(-7L)))
                .extracting(ClaimedJob::maxAttempts)
                .containsExactly(attempts);
        assertThat(queue.one(Integer.class, "SELECT max_attempts FROM queue.find_job(?)", id))
                .isEqualTo(attempts);
        assertThat(queue.one(Integer.class, "SELECT max_attempts FROM queue.find_job(?)", direct.get(0)))
                .isEqualTo(attempts);
        assertThat(queue.one(Integer.class, "SELECT queue.internal_max_attempts('mail', NULL)"))
                .isEqualTo(attempts);
        queue.call("set_retry_policy('mail')");
        assertThat(queue.row("SELECT max_attempts, extract(epoch FROM base)::int AS base, factor, jitter,"
                        + " extract(epoch FROM maximum)::int AS maximum FROM queue.retry_policy"))
                .isEqualTo(Map.of(
                        "max_attempts",
                        attempts,
                        "base",
                        (int) RetryPolicy.DEFAULT.backoff().toSeconds(),
                        "factor",
                        RetryPolicy.DEFAULT.factor(),
                        "jitter",
                        RetryPolicy.DEFAULT.jitter(),
                        "maximum",
                        (int) RetryPolicy.DEFAULT.maximum().toSeconds()));
    }

    @Test
    void hasOneDefaultQueue() {
        UUID id = queue.publish();
        assertThat(queue.one(String.class, "SELECT queue FROM queue.find_job(?)", id))
                .isEqualTo(HandlerDefinition.DEFAULT_QUEUE);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "publish('mail', '{}', run_at => now() + interval '1 hour', timeout => interval '%d seconds')",
                "set_retry_policy('mail', maximum => '%d seconds')",
                "set_retry_policy('mail', timeout => '%d seconds')",
                "set_schedule('mails', 'mail', every => '%d seconds')",
                "set_schedule('mails', 'mail', every => '1 day', timeout => '%d seconds')",
                "set_limit('mails', rate => 2, period => '%d seconds', burst => 2)"
            })
    void hasOneLimitForSpansOfTime(String call) {
        queue.call(call.formatted(Spans.LONGEST.toSeconds()));
        queue.refuses(InvalidJobException.class, () -> queue.call(call.formatted(Spans.LONGEST.toSeconds() + 1)));
    }

    @Test
    void hasTheSameLimitForABurst() {
        String call = "set_limit('mails', rate => 1, period => '1 day', burst => %d)";
        queue.call(call.formatted(Spans.LONGEST.toDays()));
        queue.refuses(InvalidJobException.class, () -> queue.call(call.formatted(Spans.LONGEST.toDays() + 1)));
    }

    /** By what the view says, because a live job is in a state by where it stands. */
    private static Set<String> liveStates() {
        return statesIn("SELECT pg_get_viewdef('queue.live_job'::regclass)");
    }

    /** By what the functions write that insert into the history. */
    private static Set<String> finishedStates() {
        return statesIn(
                "SELECT string_agg(substring(prosrc FROM 'SELECT id, queue, type, (''\\w+'')'), ' ') FROM pg_proc"
                        + " WHERE pronamespace = 'queue'::regnamespace AND prosrc LIKE '%INSERT INTO job_history (%'");
    }

    private static Set<String> statesIn(String query) {
        String definition = queue.one(String.class, query);
        return Pattern.compile("'(\\w+)'")
                .matcher(definition)
                .results()
                .map((MatchResult match) -> match.group(1))
                .collect(Collectors.toSet());
    }
}
