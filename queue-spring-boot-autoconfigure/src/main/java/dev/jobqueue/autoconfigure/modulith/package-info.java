/** Forwards the externalized events of Spring Modulith, where the application has it. */
@NullMarked
package dev.jobqueue.autoconfigure.modulith;

import org.jspecify.annotations.NullMarked;
