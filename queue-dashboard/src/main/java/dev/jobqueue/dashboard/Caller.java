package dev.jobqueue.dashboard;

/**
 * Who sent a request, and what they may do.
 *
 * @param name for the audit
 * @param canAct whether they may do more than look
 */
record Caller(String name, boolean canAct) {}
