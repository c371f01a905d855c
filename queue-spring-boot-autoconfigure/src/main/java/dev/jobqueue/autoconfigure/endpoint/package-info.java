/** The actuator endpoint to look at the queue and to act on it. */
@NullMarked
package dev.jobqueue.autoconfigure.endpoint;

import org.jspecify.annotations.NullMarked;
