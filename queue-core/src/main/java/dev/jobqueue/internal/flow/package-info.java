/** Flows: takes the ticks of batches and flows, which frees steps and publishes what follows, and reads results. */
@NullMarked
package dev.jobqueue.internal.flow;

import org.jspecify.annotations.NullMarked;
