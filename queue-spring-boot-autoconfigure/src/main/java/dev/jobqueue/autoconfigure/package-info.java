/** Spring Boot auto-configuration of the job queue. */
@NullMarked
package dev.jobqueue.autoconfigure;

import org.jspecify.annotations.NullMarked;
