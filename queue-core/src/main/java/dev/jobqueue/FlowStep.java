package dev.jobqueue;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A step of a {@link Flow}, as it is published.
 *
 * @param name its name, unique within the flow
 * @param kind what it does
 * @param jobs its job; those of {@link Kind#EACH}, maybe none; empty for a signal or a timer
 * @param after the names of the steps it comes after
 * @param onParentDead what becomes of it when one of these is dead
 * @param timeout how long a signal is waited for, if not for ever; how long a timer takes
 * @param at when a timer ends, instead of a time it takes
 */
public record FlowStep(
        String name,
        Kind kind,
        List<Job> jobs,
        List<String> after,
        OnParentDead onParentDead,
        @Nullable Duration timeout,
        @Nullable Instant at) {

    /** What a step does. */
    public enum Kind {

        /** A job. */
        JOB,

        /** A job for each of some items. */
        EACH,

        /** Waits for {@link JobPublisher#signal}. */
        SIGNAL,

        /** Waits for a time. */
        TIMER
    }

    /**
     * Copies the lists.
     *
     * @param name its name, unique within the flow
     * @param kind what it does
     * @param jobs its job; those of {@link Kind#EACH}, maybe none; empty for a signal or a timer
     * @param after the names of the steps it comes after
     * @param onParentDead what becomes of it when one of these is dead
     * @param timeout how long a signal is waited for, if not for ever; how long a timer takes
     * @param at when a timer ends, instead of a time it takes
     */
    public FlowStep {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(onParentDead, "onParentDead");
        jobs = List.copyOf(jobs);
        after = List.copyOf(after);
    }

    static FlowStep of(String name, Kind kind, List<Job> jobs) {
        return new FlowStep(name, kind, jobs, List.of(), OnParentDead.CANCEL, null, null);
    }

    FlowStep after(List<String> names) {
        return new FlowStep(name, kind, jobs, names, onParentDead, timeout, at);
    }

    FlowStep onParentDead(OnParentDead policy) {
        return new FlowStep(name, kind, jobs, after, policy, timeout, at);
    }

    FlowStep timeout(@Nullable Duration limit) {
        return new FlowStep(name, kind, jobs, after, onParentDead, limit, at);
    }

    FlowStep at(Instant time) {
        return new FlowStep(name, kind, jobs, after, onParentDead, timeout, time);
    }

    /**
     * Return this step with other jobs.
     *
     * @param changed as many jobs as it has
     * @return a changed copy
     */
    public FlowStep jobs(List<Job> changed) {
        return new FlowStep(name, kind, changed, after, onParentDead, timeout, at);
    }
}
