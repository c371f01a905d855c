/** Claiming: takes due jobs from the database and hands them to the slots. */
@NullMarked
package dev.jobqueue.internal.claim;

import org.jspecify.annotations.NullMarked;
