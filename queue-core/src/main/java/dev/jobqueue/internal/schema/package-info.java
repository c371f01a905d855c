/** Brings the tables and functions of the queue into the database. */
@NullMarked
package dev.jobqueue.internal.schema;

import org.jspecify.annotations.NullMarked;
