/** Looking at jobs and acting on them. */
@NullMarked
package dev.jobqueue.internal.operate;

import org.jspecify.annotations.NullMarked;
