/** Limits: what applications and operators set, and the lanes in which jobs wait. */
@NullMarked
package dev.jobqueue.internal.limit;

import org.jspecify.annotations.NullMarked;
