/**
 * Spring Boot auto-configuration of the job queue. One package, although it is large: configurations and what they make
 * stay package-private this way, and applications see annotations, properties and exceptions only.
 */
@NullMarked
package dev.jobqueue.autoconfigure;

import org.jspecify.annotations.NullMarked;
