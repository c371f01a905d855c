/** What processes did, written down so that it outlives them. */
@NullMarked
package dev.jobqueue.survival.ledger;

import org.jspecify.annotations.NullMarked;
