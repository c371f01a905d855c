/** Settling: tells the database how runs ended. */
@NullMarked
package dev.jobqueue.internal.settle;

import org.jspecify.annotations.NullMarked;
