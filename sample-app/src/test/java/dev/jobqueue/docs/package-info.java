/** Keeps README and docs true: examples come from tested sources, the configuration reference from the metadata. */
@NullMarked
package dev.jobqueue.docs;

import org.jspecify.annotations.NullMarked;
