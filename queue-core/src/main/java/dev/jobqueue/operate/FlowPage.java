package dev.jobqueue.operate;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A page of batches and flows.
 *
 * @param flows the batches and flows
 * @param next where the next page begins; {@code null} if this is the last one
 */
public record FlowPage(List<FlowSummary> flows, @Nullable JobCursor next) {

    /**
     * Copies the list.
     *
     * @param flows the batches and flows
     * @param next where the next page begins; {@code null} if this is the last one
     */
    public FlowPage {
        flows = List.copyOf(flows);
    }
}
