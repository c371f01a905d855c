/** For other modules of the queue and for applications that reach into its machinery. */
@NullMarked
package dev.jobqueue.spi;

import org.jspecify.annotations.NullMarked;
