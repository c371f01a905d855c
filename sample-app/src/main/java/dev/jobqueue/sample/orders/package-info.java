/** Orders: saved together with the jobs that follow from them. */
@NullMarked
package dev.jobqueue.sample.orders;

import org.jspecify.annotations.NullMarked;
