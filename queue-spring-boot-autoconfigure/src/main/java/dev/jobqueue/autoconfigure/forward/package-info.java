/** Sends jobs that are messages to Kafka and RabbitMQ, where the application has them. */
@NullMarked
package dev.jobqueue.autoconfigure.forward;

import org.jspecify.annotations.NullMarked;
