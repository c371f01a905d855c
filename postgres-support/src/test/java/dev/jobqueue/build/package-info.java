/** Keeps the Maven and the Gradle build equal. */
@NullMarked
package dev.jobqueue.build;

import org.jspecify.annotations.NullMarked;
