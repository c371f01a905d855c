package dev.jobqueue.schedule;

import dev.jobqueue.InvalidJobException;
import dev.jobqueue.JobNotFoundException;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * Schedules that come and go at run time, for example one per customer, and what operators do with any schedule.
 * Changes take part in the caller's transaction, if there is one, and reach all nodes with its commit.
 *
 * <pre>{@code
 * schedules.set(ScheduleDefinition.of("invoice-" + customer.id(), "invoice.run")
 *         .payload(new InvoiceRun(customer.id())).cron("0 6 1 * *").zone(customer.zone()));
 * }</pre>
 *
 * <p>Bad values get an {@link InvalidJobException} that names the field, and nothing is changed; a name that no
 * schedule has gets a {@link JobNotFoundException}. Thread-safe.
 */
public interface JobSchedules {

    /**
     * Creates the schedule or changes it, and tells whether anything changed. One that is paused stays paused. When its
     * next run is due changes only with the timing. Schedules defined in code or configuration are refused.
     *
     * @param definition the schedule
     * @return whether anything changed
     */
    boolean set(ScheduleDefinition definition);

    /**
     * Deletes a schedule. Jobs it has published stay.
     *
     * @param name the name of the schedule
     * @return {@code false} if there was none
     */
    boolean delete(String name);

    /**
     * Stops a schedule on all nodes until it is resumed, across restarts and changes.
     *
     * @param name the name of the schedule
     */
    void pause(String name);

    /**
     * Lets a paused schedule go on; what was due meanwhile is not made up for.
     *
     * @param name the name of the schedule
     */
    void resume(String name);

    /**
     * Publishes a job of the schedule at once, paused or not.
     *
     * @param name the name of the schedule
     * @return the id of the job
     */
    UUID runNow(String name);

    /**
     * Finds a schedule.
     *
     * @param name the name of the schedule
     * @return the schedule, or nothing
     */
    Optional<Schedule> find(String name);

    /** {@return all schedules, by name} */
    List<Schedule> list();
}
