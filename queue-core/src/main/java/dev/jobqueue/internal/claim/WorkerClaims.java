package dev.jobqueue.internal.claim;

import dev.jobqueue.internal.handle.ClaimedJob;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/** Claims for this worker, and notes what it may have been given without knowing. */
public final class WorkerClaims implements ClaimSource {

    private final ClaimCalls calls;
    private final WorkerIdentity identity;
    private final Collection<String> types;
    private final long maxBytes;

    /**
     * @param types that this node handles
     * @param maxBytes of payloads that one claim brings of a queue
     */
    public WorkerClaims(ClaimCalls calls, WorkerIdentity identity, Collection<String> types, long maxBytes) {
        this.calls = calls;
        this.identity = identity;
        this.types = types;
        this.maxBytes = maxBytes;
    }

    @Override
    public List<ClaimedJob> claim(Map<String, Integer> wanted) {
        return calls.claim(identity.id(), wanted, types, maxBytes);
    }

    @Override
    public List<ClaimedJob> confirm(List<Long> leases) {
        return calls.confirm(identity.id(), leases);
    }

    @Override
    public void notTaken() {
        identity.claimUnanswered();
    }

    @Override
    public void declaredDead() {
        identity.declaredDead();
    }
}
