package dev.jobqueue.sample.reports;

/** Asks for a report that takes about so many seconds. */
record BuildReport(int seconds) {}
