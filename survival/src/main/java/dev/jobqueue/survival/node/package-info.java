/** The applications that run as processes of their own, to be killed: workers and a producer. */
@NullMarked
package dev.jobqueue.survival.node;

import org.jspecify.annotations.NullMarked;
