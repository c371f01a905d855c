/** Slots: how many jobs of a queue run at once on this node, on which threads, and how many wait for a slot. */
@NullMarked
package dev.jobqueue.internal.slot;

import org.jspecify.annotations.NullMarked;
