/** Maintaining: promotes due jobs, rescues those of dead nodes, prunes, and reports what nobody handles. */
@NullMarked
package dev.jobqueue.internal.maintain;

import org.jspecify.annotations.NullMarked;
