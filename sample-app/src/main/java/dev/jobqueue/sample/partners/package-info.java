/** What may not run as fast as it could: a partner's API, the bookings of an account, the mails of a large customer. */
@NullMarked
package dev.jobqueue.sample.partners;

import org.jspecify.annotations.NullMarked;
