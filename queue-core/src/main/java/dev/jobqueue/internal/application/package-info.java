/** The queue of one application, wired: the way in for the auto-configuration. */
@NullMarked
package dev.jobqueue.internal.application;

import org.jspecify.annotations.NullMarked;
