/** What the application adds to the queue: its listeners, interceptors and meters, and how they are called. */
@NullMarked
package dev.jobqueue.internal.extend;

import org.jspecify.annotations.NullMarked;
