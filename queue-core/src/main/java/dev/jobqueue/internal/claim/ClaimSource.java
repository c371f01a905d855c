package dev.jobqueue.internal.claim;

import dev.jobqueue.internal.handle.ClaimedJob;
import java.util.List;
import java.util.Map;

/** Takes jobs from the database. */
interface ClaimSource {

    /** Jobs that are due, up to so many of each queue. */
    List<ClaimedJob> claim(Map<String, Integer> wanted);

    /** Jobs that were published under these leases. */
    List<ClaimedJob> confirm(List<Long> leases);

    /** A call failed, maybe after the server had granted it, or what it brought did not arrive in the slots. */
    void notTaken();

    /** One of these calls was refused because this worker was declared dead. */
    void declaredDead();
}
