/** Publishing: in the caller's transaction, or in one shared by concurrent callers, and the wake-ups that follow. */
@NullMarked
package dev.jobqueue.internal.publish;

import org.jspecify.annotations.NullMarked;
