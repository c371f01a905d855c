/** Recurring jobs: what to publish, when, and how to change that. */
@NullMarked
package dev.jobqueue.schedule;

import org.jspecify.annotations.NullMarked;
