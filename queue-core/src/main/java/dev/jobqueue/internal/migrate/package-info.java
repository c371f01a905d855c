/** The schema of the queue: its files and versions, how it is brought up to date, and who may call its functions. */
@NullMarked
package dev.jobqueue.internal.migrate;

import org.jspecify.annotations.NullMarked;
