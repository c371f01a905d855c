package dev.jobqueue;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/**
 * Jobs that belong together: any number of them, with jobs that follow when all have ended. Immutable; each method
 * returns a changed copy.
 *
 * <pre>{@code
 * UUID batch = jobs.publish(Batch.of("newsletter")
 *         .add(users.stream().map(Mail::new))
 *         .onSuccess(new Report(7)));
 * }</pre>
 *
 * <p>A member is a {@link Job}, another {@link Batch} or {@link Flow}, which counts as one member and ends as a whole,
 * or the payload of a job. Members have no id, unique key or debounce of their own. A handler of a member may add
 * members, see {@link JobContext#addToBatch}. A batch without members finishes at once.
 *
 * <p>The jobs that follow carry the headers {@code flow}, the id of the batch, and {@code round}: 1, and one more each
 * time the batch finishes again because a dead member was replayed or another one was added.
 */
public final class Batch {

    private final Draft draft;

    private Batch(Draft draft) {
        this.draft = draft;
    }

    /**
     * Create a batch without members.
     *
     * @param name what it is, such as {@code newsletter}; many batches may have the same name
     * @return the batch
     */
    public static Batch of(String name) {
        return new Batch(new Draft(Objects.requireNonNull(name, "name")));
    }

    private Batch copy(Consumer<Draft> change) {
        Draft copy = new Draft(draft);
        change.accept(copy);
        return new Batch(copy);
    }

    /**
     * Set a key: while a batch of the same name and key has not finished, publishing another one adds nothing and
     * returns the id of the first.
     *
     * @param key the key, whose {@code toString} counts
     * @return a changed copy
     */
    public Batch key(Object key) {
        String text = Objects.requireNonNull(key, "key").toString();
        return copy(draft -> draft.key = text);
    }

    /**
     * Add members. They are read while the batch is published, some at a time: all of them need not fit into memory.
     * The stream is closed then. Such a batch can be published once.
     *
     * @param members jobs, batches, flows or payloads
     * @return a changed copy
     */
    public Batch add(Stream<?> members) {
        Objects.requireNonNull(members, "members");
        return copy(draft -> draft.sources.add(members));
    }

    /**
     * Add members.
     *
     * @param members jobs, batches, flows or payloads
     * @return a changed copy
     */
    public Batch add(Iterable<?> members) {
        Objects.requireNonNull(members, "members");
        return copy(draft -> draft.sources.add(members));
    }

    /**
     * Add members.
     *
     * @param members the jobs
     * @return a changed copy
     */
    public Batch add(Job... members) {
        return add(List.of(members));
    }

    /**
     * Add a batch as a member: it counts as one.
     *
     * @param member the batch
     * @return a changed copy
     */
    public Batch add(Batch member) {
        return add(List.of(member));
    }

    /**
     * Add a flow as a member: it counts as one.
     *
     * @param member the flow
     * @return a changed copy
     */
    public Batch add(Flow member) {
        return add(List.of(member));
    }

    /**
     * Publish this job when all members have completed, once.
     *
     * @param job a {@link Job}, or the payload of one
     * @return a changed copy
     */
    public Batch onSuccess(Object job) {
        Job given = Flow.job(job);
        return copy(draft -> draft.onSuccess = given);
    }

    /**
     * Publish this job when all members have ended, however they did; once in each round.
     *
     * @param job a {@link Job}, or the payload of one
     * @return a changed copy
     */
    public Batch onFinish(Object job) {
        Job given = Flow.job(job);
        return copy(draft -> draft.onFinish = given);
    }

    /**
     * Publish this job when the first member is dead, once.
     *
     * @param job a {@link Job}, or the payload of one
     * @return a changed copy
     */
    public Batch onDeath(Object job) {
        Job given = Flow.job(job);
        return copy(draft -> draft.onDeath = given);
    }

    /** {@return its name} */
    public String name() {
        return draft.name;
    }

    /** {@return its key, if it has one} */
    public @Nullable String key() {
        return draft.key;
    }

    /** {@return the members in order, to be read once and closed then} */
    public Stream<?> members() {
        Stream<?> all = Stream.empty();
        for (Object source : draft.sources) {
            Stream<?> next = source instanceof Stream<?> stream
                    ? stream
                    : StreamSupport.stream(((Iterable<?>) source).spliterator(), false);
            all = Stream.concat(all, next);
        }
        return all;
    }

    /** {@return the job that follows when all members have completed, if there is one} */
    public @Nullable Job onSuccess() {
        return draft.onSuccess;
    }

    /** {@return the job that follows when all members have ended, if there is one} */
    public @Nullable Job onFinish() {
        return draft.onFinish;
    }

    /** {@return the job that follows the first death, if there is one} */
    public @Nullable Job onDeath() {
        return draft.onDeath;
    }

    /** {@return its name and key} */
    @Override
    public String toString() {
        return "Batch[name=%s, key=%s]".formatted(draft.name, draft.key);
    }

    private static final class Draft {

        final String name;

        /** Streams and iterables. */
        final List<Object> sources = new ArrayList<>();

        @Nullable
        String key;

        @Nullable
        Job onSuccess;

        @Nullable
        Job onFinish;

        @Nullable
        Job onDeath;

        Draft(String name) {
            this.name = name;
        }

        Draft(Draft other) {
            this.name = other.name;
            this.sources.addAll(other.sources);
            this.key = other.key;
            this.onSuccess = other.onSuccess;
            this.onFinish = other.onFinish;
            this.onDeath = other.onDeath;
        }
    }
}
