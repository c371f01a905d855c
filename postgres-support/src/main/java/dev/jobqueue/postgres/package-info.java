/** A real PostgreSQL for the tests and the sample: given, in a container, or embedded. */
@NullMarked
package dev.jobqueue.postgres;

import org.jspecify.annotations.NullMarked;
