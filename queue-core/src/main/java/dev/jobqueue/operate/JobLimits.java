package dev.jobqueue.operate;

import dev.jobqueue.InvalidJobException;
import dev.jobqueue.LimitDefinition;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Looks at limits and their lanes, and changes them at run time, on all nodes. What is set here stays when applications
 * start that define the same limit with other values; set the application's values again, and from its next start on
 * the application decides. Takes part in the caller's transaction if there is one. Thread-safe.
 *
 * <pre>{@code
 * operations.limits().set(LimitDefinition.ofRunning("crm", 5));
 * }</pre>
 *
 * <p>Wrong arguments get an {@link InvalidJobException} that names the argument, and nothing is changed. Changing a
 * limit waits for claims of its jobs that are under way, at most five seconds.
 */
public interface JobLimits {

    /** {@return all limits, by name} */
    List<LimitFigures> list();

    /**
     * Finds a limit.
     *
     * @param name the name of the limit
     * @return the limit, or nothing
     */
    Optional<LimitFigures> find(String name);

    /**
     * Sets a limit, or gives it other values. They hold for all jobs that start from now on.
     *
     * @param definition the limit
     */
    void set(LimitDefinition definition);

    /**
     * Removes a limit: what waits for it starts. An application that defines it sets it again when it starts.
     *
     * @param name the name of the limit
     * @return {@code false} if there was none
     */
    boolean remove(String name);

    /**
     * Says which limits jobs of a type have that are published from now on, instead of those it has.
     *
     * @param type the type
     * @param keys what each limit counts by, by its name: a path in the payload ({@code account.id}), a header ({@code
     *     header:tenant}), or empty if all jobs share it; no limits if there are none
     */
    void useForType(String type, Map<String, String> keys);

    /**
     * Says which limits jobs in a queue have that are published from now on, instead of those it has.
     *
     * @param queue the name of the queue
     * @param keys what each limit counts by, as for types
     */
    void useForQueue(String queue, Map<String, String> keys);

    /**
     * Return a page of the lanes of a limit: its keys that have jobs running or waiting, then those that are
     * closed and have neither.
     *
     * @param limit the name of the limit
     * @param after where the page begins: {@link JobCursor#START}, or {@link LanePage#next()} of the page before
     * @param max how many lanes at most, from 1 to 1,000
     * @return the page
     */
    LanePage lanes(String limit, JobCursor after, int max);

    /**
     * Return a page of the FIFO lanes of a limit that stand behind a dead letter.
     *
     * @param limit the name of the limit
     * @param after where the page begins: {@link JobCursor#START}, or {@link LanePage#next()} of the page before
     * @param max how many lanes at most, from 1 to 1,000
     * @return the page
     */
    LanePage blockedLanes(String limit, JobCursor after, int max);

    /**
     * Lets a FIFO lane go on without the job that it stands behind: a dead letter, or one that waits for its next
     * attempt. That job stays what it is.
     *
     * @param limit the name of the limit
     * @param key the key of the lane
     * @return {@code false} if it stands behind none
     */
    boolean releaseLane(String limit, String key);

    /**
     * Lets no job of a lane start before a time; one that is past opens the lane. Running jobs go on.
     *
     * @param limit the name of the limit
     * @param key the key of the lane
     * @param until when the lane opens
     */
    void closeLane(String limit, String key, Instant until);
}
