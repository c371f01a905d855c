package dev.jobqueue.internal.settle;

/** The runs of this node that are not settled yet. */
public interface Runs {

    /** The database knows how this run ended, or it no longer matters. */
    void remove(Run run);

    int size();
}
