package dev.jobqueue.survival.ledger;

/** What a process may write down. */
public enum Verb {
    /** The node is up; the detail is its own clock, in milliseconds. */
    READY,
    /** The producer is about to publish under this id. */
    INTENDED,
    /** The commit of the publishing transaction has returned. */
    COMMITTED,
    /** Published in a transaction that will be rolled back. */
    ROLLED_BACK,
    /** Published in a transaction that will never end. */
    HELD,
    /** The producer is about to ask for the job to be cancelled. */
    CANCELLING,
    /** A handler began; the detail is the worker. */
    STARTED,
    /** A handler came to its end, and is about to return. */
    FINISHED,
    /** A handler has returned or thrown. */
    LEFT,
    /** A call with the lease went through; the time is the one before the call. */
    ACCEPTED,
    /** A call with the lease was answered: no longer yours. */
    REFUSED
}
