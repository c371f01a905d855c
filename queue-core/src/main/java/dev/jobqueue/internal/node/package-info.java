/** A node: wires the other rooms, starts and stops them, says that it lives, and listens to other nodes. */
@NullMarked
package dev.jobqueue.internal.node;

import org.jspecify.annotations.NullMarked;
