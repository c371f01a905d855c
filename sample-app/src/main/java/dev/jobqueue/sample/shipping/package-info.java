/** Jobs that belong together: an order as a flow of steps, a newsletter as a batch. */
@NullMarked
package dev.jobqueue.sample.shipping;

import org.jspecify.annotations.NullMarked;
