/** Tells by Actuator's health endpoint how the queue is doing. */
@NullMarked
package dev.jobqueue.autoconfigure.health;

import org.jspecify.annotations.NullMarked;
