/** What must be true, whatever was broken. */
@NullMarked
package dev.jobqueue.survival.check;

import org.jspecify.annotations.NullMarked;
