package dev.jobqueue.test;

import dev.jobqueue.PermanentJobException;
import dev.jobqueue.operate.JobDetails;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.assertj.core.api.AbstractAssert;
import org.assertj.core.description.Description;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Assertions about some of the jobs. Each method keeps those that match and fails if none does, so the jobs that are
 * left match all of them; {@link #once()} and {@link #times(int)} count these.
 */
public final class JobSelectionAssert extends AbstractAssert<JobSelectionAssert, List<JobDetails>> {

    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .build();

    /** The database stores numbers by their value: 1.0E10 is 10000000000 there. */
    private static final Comparator<JsonNode> BY_VALUE = (one, other) -> one.isNumber() && other.isNumber()
            ? one.decimalValue().compareTo(other.decimalValue())
            : one.equals(other) ? 0 : 1;

    /** What times lose when they are stored. */
    private static final Duration MICROSECOND = Duration.ofNanos(1_000);

    private final JobList all;
    private final String wanted;

    JobSelectionAssert(JobList all, List<JobDetails> selected, String wanted, Description description) {
        super(selected, JobSelectionAssert.class);
        this.all = all;
        this.wanted = wanted;
        info.description(description);
        if (selected.isEmpty()) {
            failWithMessage("%s", "Expected " + wanted + all.contrary());
        }
    }

    private JobSelectionAssert keep(String what, Predicate<JobDetails> matches) {
        return new JobSelectionAssert(
                all, actual.stream().filter(matches).toList(), wanted + " " + what, info.description());
    }

    /**
     * Keeps jobs with this payload; compared as JSON.
     *
     * @param payload the payload
     * @return assertions about these
     */
    public JobSelectionAssert withPayload(Object payload) {
        String json = all.worker().write(payload);
        return keep("with payload " + json, job -> same(job.payload(), json));
    }

    /**
     * Keeps jobs whose payload matches, read as their handler would get it.
     *
     * @param <T> the payload
     * @param type the class of the payload
     * @param matches what to look for
     * @return assertions about these
     */
    public <T> JobSelectionAssert withPayload(Class<T> type, Predicate<? super T> matches) {
        return keep(
                "with a payload '%s' that matches".formatted(type.getSimpleName()),
                job -> read(job.payload(), type).filter(matches).isPresent());
    }

    /** Nothing if it is the payload or result of something else. */
    private <T> Optional<T> read(@Nullable String json, Class<T> type) {
        try {
            return json == null
                    ? Optional.empty()
                    : Optional.of(type.cast(all.worker().readPayload(json, type)));
        } catch (PermanentJobException ex) {
            return Optional.empty();
        }
    }

    /**
     * Keeps jobs in this queue.
     *
     * @param queue the name of the queue
     * @return assertions about these
     */
    public JobSelectionAssert inQueue(String queue) {
        return keep("in queue '%s'".formatted(queue), job -> job.queue().equals(queue));
    }

    /**
     * Keeps jobs with this priority.
     *
     * @param priority the priority
     * @return assertions about these
     */
    public JobSelectionAssert withPriority(int priority) {
        return keep("with priority " + priority, job -> job.priority() == priority);
    }

    /**
     * Keeps jobs with this header.
     *
     * @param name the name of the header
     * @param value its value
     * @return assertions about these
     */
    public JobSelectionAssert withHeader(String name, String value) {
        return keep(
                "with header %s=%s".formatted(name, value),
                job -> value.equals(job.headers().get(name)));
    }

    /**
     * Keeps jobs that are due exactly so much later than they were published. For those with {@code runAt} there is
     * {@link #dueAt}: some time passes between its calculation and their publishing.
     *
     * @param delay the delay
     * @return assertions about these
     */
    public JobSelectionAssert delayedBy(Duration delay) {
        return keep(
                "delayed by " + delay,
                job -> Duration.between(job.createdAt(), job.runAt()).equals(delay));
    }

    /**
     * Keeps jobs that are due at this time.
     *
     * @param time the time, to the microsecond
     * @return assertions about these
     */
    public JobSelectionAssert dueAt(Instant time) {
        return keep(
                "due at " + time,
                job -> Duration.between(job.runAt(), time).abs().compareTo(MICROSECOND) < 0);
    }

    /**
     * Keeps jobs that have had so many attempts.
     *
     * @param attempts how many
     * @return assertions about these
     */
    public JobSelectionAssert afterAttempts(int attempts) {
        return keep("after %d attempts".formatted(attempts), job -> job.attempt() == attempts);
    }

    /**
     * Keeps jobs with an attempt that threw an error with this text.
     *
     * @param text a part of the type, the message or the top of the stack
     * @return assertions about these
     */
    public JobSelectionAssert withErrorContaining(String text) {
        return keep(
                "with an error that contains '%s'".formatted(text),
                job -> job.errors().stream().anyMatch(error -> error.error().contains(text)));
    }

    /**
     * Keeps jobs with this result; compared as JSON.
     *
     * @param result what the handler returned
     * @return assertions about these
     */
    public JobSelectionAssert withResult(Object result) {
        String json = all.worker().write(result);
        return keep("with result " + json, job -> job.result() != null && same(job.result(), json));
    }

    /**
     * Keeps jobs whose result matches.
     *
     * @param <T> the result
     * @param type the class of the result
     * @param matches what to look for
     * @return assertions about these
     */
    public <T> JobSelectionAssert withResult(Class<T> type, Predicate<? super T> matches) {
        return keep(
                "with a result '%s' that matches".formatted(type.getSimpleName()),
                job -> read(job.result(), type).filter(matches).isPresent());
    }

    /**
     * Keeps jobs that match.
     *
     * @param what what to say in a failure
     * @param matches what to look for
     * @return assertions about these
     */
    public JobSelectionAssert matching(String what, Predicate<JobDetails> matches) {
        return keep("that " + what, matches);
    }

    /**
     * Verifies that one job is left.
     *
     * @return this
     */
    public JobSelectionAssert once() {
        return times(1);
    }

    /**
     * Verifies that so many jobs are left.
     *
     * @param count how many, at least 1; for none there is {@link JobsAssert#nothingPublished(String)}
     * @return this
     */
    public JobSelectionAssert times(int count) {
        if (count < 1) {
            throw new IllegalArgumentException(
                    "times(%d): each assertion before it wants a job. For none there is nothingPublished(type)."
                            .formatted(count));
        }
        if (actual.size() != count) {
            failWithMessage(
                    "%s",
                    "Expected %s %s, but found %d. %s"
                            .formatted(wanted, count == 1 ? "once" : count + " times", actual.size(), all.listed()));
        }
        return this;
    }

    /** {@return the jobs that are left, in the order in which they were published} */
    public List<JobDetails> jobs() {
        return actual;
    }

    private static boolean same(String one, String other) {
        return JSON.readTree(one).equals(BY_VALUE, JSON.readTree(other));
    }
}
