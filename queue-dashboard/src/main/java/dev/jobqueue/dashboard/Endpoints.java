package dev.jobqueue.dashboard;

/** Calls of the pages that belong together. */
interface Endpoints {

    /** Says which calls there are, and what answers them. */
    void addTo(Routes routes);
}
