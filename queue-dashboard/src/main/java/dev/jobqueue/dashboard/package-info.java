/** Pages to look at jobs and to act on them, with their JSON and live figures, served by the application itself. */
@NullMarked
package dev.jobqueue.dashboard;

import org.jspecify.annotations.NullMarked;
