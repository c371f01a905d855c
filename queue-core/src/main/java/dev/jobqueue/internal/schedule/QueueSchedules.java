package dev.jobqueue.internal.schedule;

import dev.jobqueue.HandlerDefinition;
import dev.jobqueue.internal.Json;
import dev.jobqueue.internal.handle.HandlerRegistry;
import dev.jobqueue.schedule.JobSchedules;
import dev.jobqueue.schedule.Schedule;
import dev.jobqueue.schedule.Schedule.Origin;
import dev.jobqueue.schedule.ScheduleDefinition;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Changes schedules in the caller's transaction, and wakes this node after it; the others are notified. */
public final class QueueSchedules implements JobSchedules {

    private final ScheduleCalls store;
    private final HandlerRegistry handlers;
    private final Json json;
    private final Runnable onChange;
    private final Runnable onRun;

    /**
     * @param onChange called after the commit of a change
     * @param onRun called after the commit of a run that somebody asked for
     */
    public QueueSchedules(ScheduleCalls store, HandlerRegistry handlers, Json json, Runnable onChange, Runnable onRun) {
        this.store = store;
        this.handlers = handlers;
        this.json = json;
        this.onChange = onChange;
        this.onRun = onRun;
    }

    @Override
    public boolean set(ScheduleDefinition definition) {
        return set(Objects.requireNonNull(definition, "definition"), Origin.API, null);
    }

    public boolean set(ScheduleDefinition definition, Origin origin, @Nullable String owner) {
        Timetable.of(definition.cron(), definition.every(), definition.zone());
        boolean changed = store.set(prepare(definition, origin, owner));
        if (changed) {
            store.callersTransaction().afterCommit(onChange);
        }
        return changed;
    }

    /**
     * Whether this node has a handler for the jobs of a schedule.
     *
     * @throws dev.jobqueue.PermanentJobException if the handler could not read the payload
     */
    public boolean isHandled(ScheduleDefinition definition) {
        HandlerDefinition handler = handlers.find(definition.type());
        if (handler != null) {
            json.readPayload(json.writePayload(definition.payload()), handler.payloadType());
        }
        return handler != null;
    }

    /** Retires what the owner defines in code or configuration no longer, and returns the names. */
    public List<String> retire(String owner, Collection<String> keep) {
        return store.retire(owner, keep);
    }

    @Override
    public boolean delete(String name) {
        return store.delete(Objects.requireNonNull(name, "name"));
    }

    @Override
    public void pause(String name) {
        store.pause(Objects.requireNonNull(name, "name"));
    }

    @Override
    public void resume(String name) {
        store.resume(Objects.requireNonNull(name, "name"));
        store.callersTransaction().afterCommit(onChange);
    }

    @Override
    public UUID runNow(String name) {
        UUID id = store.runNow(Objects.requireNonNull(name, "name"));
        store.callersTransaction().afterCommit(onRun);
        return id;
    }

    @Override
    public Optional<Schedule> find(String name) {
        // without a name the database lists all of them
        return store.find(Objects.requireNonNull(name, "name")).stream().findFirst();
    }

    @Override
    public List<Schedule> list() {
        return store.find(null);
    }

    private NewSchedule prepare(ScheduleDefinition definition, Origin origin, @Nullable String owner) {
        String cron = definition.cron();
        String queue = definition.queue();
        return new NewSchedule(
                definition.name(),
                definition.type(),
                json.writePayload(definition.payload()),
                cron == null ? null : String.join(" ", cron.trim().split("\\s+")),
                definition.every(),
                definition.zone(),
                queue != null ? queue : handlers.queueOf(definition.type(), definition.payload()),
                definition.priority(),
                definition.misfire(),
                definition.overlap(),
                definition.headers().isEmpty() ? null : json.write(definition.headers()),
                definition.maxAttempts(),
                definition.timeout(),
                origin,
                owner);
    }
}
