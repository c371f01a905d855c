/** The nodes, their database and the wires between them, as seen by whoever breaks them. */
@NullMarked
package dev.jobqueue.survival.cluster;

import org.jspecify.annotations.NullMarked;
