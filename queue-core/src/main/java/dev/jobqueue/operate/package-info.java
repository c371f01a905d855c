/** Looking at jobs, queues and nodes, and acting on them. */
@NullMarked
package dev.jobqueue.operate;

import org.jspecify.annotations.NullMarked;
