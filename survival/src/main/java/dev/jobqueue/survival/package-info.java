/** Does to the queue what production does, and checks that it keeps its promises. */
@NullMarked
package dev.jobqueue.survival;

import org.jspecify.annotations.NullMarked;
