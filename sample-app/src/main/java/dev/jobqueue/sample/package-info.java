/** A small shop that uses the job queue. */
@NullMarked
package dev.jobqueue.sample;

import org.jspecify.annotations.NullMarked;
