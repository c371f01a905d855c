/** Extension points: listeners that hear what becomes of jobs, and interceptors around publishing and handling. */
@NullMarked
package dev.jobqueue.spi;

import org.jspecify.annotations.NullMarked;
