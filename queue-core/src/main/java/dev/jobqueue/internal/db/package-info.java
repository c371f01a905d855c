/** The database: calls of SQL functions, transactions to call them in, and the schema that holds them. */
@NullMarked
package dev.jobqueue.internal.db;

import org.jspecify.annotations.NullMarked;
