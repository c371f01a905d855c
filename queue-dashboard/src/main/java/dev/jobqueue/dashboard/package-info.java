/**
 * Pages to look at jobs and to act on them, with their JSON and live figures, served by the application itself. One
 * package, although it is large: all but properties and auto-configuration stays package-private this way.
 */
@NullMarked
package dev.jobqueue.dashboard;

import org.jspecify.annotations.NullMarked;
