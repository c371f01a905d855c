/** Schedules: when they are due, the jobs they publish then, and the API to change them. */
@NullMarked
package dev.jobqueue.internal.schedule;

import org.jspecify.annotations.NullMarked;
