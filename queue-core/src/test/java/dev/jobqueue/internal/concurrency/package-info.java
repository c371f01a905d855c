/** What happens when many sessions use the queue at once, and what a claim costs when the tables are full. */
@NullMarked
package dev.jobqueue.internal.concurrency;

import org.jspecify.annotations.NullMarked;
