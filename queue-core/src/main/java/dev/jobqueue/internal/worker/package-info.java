/** A node at work: claims jobs, runs their handlers, settles them, and says that it lives. */
@NullMarked
package dev.jobqueue.internal.worker;

import org.jspecify.annotations.NullMarked;
