/** Jobs: what became of them, and the figures of the start page. */
@NullMarked
package dev.jobqueue.sample.jobs;

import org.jspecify.annotations.NullMarked;
