/** Brokers of the tests, as processes of their own that can be killed. */
@NullMarked
package dev.jobqueue.broker;

import org.jspecify.annotations.NullMarked;
