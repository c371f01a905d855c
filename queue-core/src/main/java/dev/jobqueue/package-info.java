/** A job queue on PostgreSQL: publish jobs in your own transaction, handle them on any number of nodes. */
@NullMarked
package dev.jobqueue;

import org.jspecify.annotations.NullMarked;
