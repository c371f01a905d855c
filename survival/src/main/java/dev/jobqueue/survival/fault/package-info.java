/** The ways to break it. */
@NullMarked
package dev.jobqueue.survival.fault;

import org.jspecify.annotations.NullMarked;
