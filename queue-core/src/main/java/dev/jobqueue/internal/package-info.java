/** The parts of the job queue; none of it is API. */
@NullMarked
package dev.jobqueue.internal;

import org.jspecify.annotations.NullMarked;
