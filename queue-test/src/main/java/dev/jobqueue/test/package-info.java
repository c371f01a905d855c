/** Tests for applications on the job queue: run the jobs, move the time, see what was published. */
@NullMarked
package dev.jobqueue.test;

import org.jspecify.annotations.NullMarked;
