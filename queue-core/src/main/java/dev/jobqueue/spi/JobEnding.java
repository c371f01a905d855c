package dev.jobqueue.spi;

import java.util.Locale;

/** How a run of a job ended. Meters, listeners and the log use the same words. */
public enum JobEnding {

    /** The handler returned, and the job is done. */
    COMPLETED,

    /** The attempt threw or took too long, and another one follows. */
    RETRIED,

    /** The job is in the dead letter: no attempt is left, or the handler wanted no other one. */
    DEAD,

    /** The run was stopped because somebody cancelled the job. */
    CANCELLED,

    /** The handler asked to come back later. The attempt does not count. */
    SNOOZED,

    /** The job was given back without counting the attempt, for example because the node stops. */
    RELEASED,

    /** The job was no longer this node's when the run ended. How the run ended does not count. */
    LEASE_LOST;

    private final String label = name().toLowerCase(Locale.ROOT).replace('_', '-');

    /** {@return the ending as meters and the documentation write it, for example {@code lease-lost}} */
    public String label() {
        return label;
    }
}
