package dev.jobqueue.operate;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Some of the lanes of a limit, and where the next page begins. A page may hold fewer lanes than asked for, or none,
 * although there are more; and a lane with jobs of several types may come again on a later page.
 *
 * @param lanes the lanes
 * @param next where the next page begins; {@code null} if this is the last
 */
public record LanePage(List<LaneFigures> lanes, @Nullable JobCursor next) {

    /**
     * Keeps a copy of the list.
     *
     * @param lanes the lanes
     * @param next where the next page begins; {@code null} if this is the last
     */
    public LanePage {
        lanes = List.copyOf(lanes);
    }
}
