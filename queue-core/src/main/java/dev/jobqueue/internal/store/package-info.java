/** The SQL functions of the queue, one method each. */
@NullMarked
package dev.jobqueue.internal.store;

import org.jspecify.annotations.NullMarked;
