/** How messages get to Kafka and RabbitMQ, and what their errors mean. */
@NullMarked
package dev.jobqueue.autoconfigure.forward.broker;

import org.jspecify.annotations.NullMarked;
