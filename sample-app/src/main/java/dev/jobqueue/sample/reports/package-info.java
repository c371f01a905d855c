/** Reports: a long job with progress and durable steps. */
@NullMarked
package dev.jobqueue.sample.reports;

import org.jspecify.annotations.NullMarked;
