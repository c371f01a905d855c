package dev.jobqueue.spi;

import dev.jobqueue.HandlerDefinition;
import dev.jobqueue.LimitDefinition;
import java.util.List;

/**
 * Handles jobs of one type many at a time, for work that is cheaper that way: sending to a broker, or inserting rows.
 * See {@link HandlerDefinition#ofBundle}.
 *
 * <p>Each job is ended by its own call of {@link BundledJob}, on any thread, and is settled at that moment: the others
 * may still be open. The jobs take one slot of their queue together. A queue with one slot on a node starts a bundle
 * when the call for the bundle before has returned. There is one exception: a call that ignores an interrupt for five
 * seconds after all its jobs have timed out loses its slot, and the next bundle starts while it still runs.
 *
 * <p>The thread is interrupted when a node stops and its grace period is over, and when the last open job is cancelled,
 * times out, or its lease is lost. It is not interrupted while other jobs of the bundle are open: let waits end by
 * themselves, and do not wait for a job that is {@linkplain BundledJob#isOpen() open} no more.
 *
 * <p>Jobs of a FIFO lane that one claim brought ({@code running} of {@link LimitDefinition#ofFifo}) are a series. They
 * come in their order, in one bundle or in bundles that follow each other; handle them one after the other. A job of a
 * series that ends, for whatever reason, neither completed nor cancelled breaks it. Then those behind it are given
 * back, and none of their attempts counts: the ones of this call are open no more at that moment, and those of later
 * bundles are not handled. This needs one slot of the queue on each node; an application with more does not start.
 *
 * <p>{@link JobInterceptor#handle} is not called for bundles, and the logging context (MDC) names no job.
 *
 * @param <T> the payload
 */
@FunctionalInterface
public interface BundleFunction<T> {

    /**
     * Handles the jobs. Those that are open when this returns or throws have thrown, unless the node stops: then they
     * are given back. Of a series only the first open one has thrown, and those behind it are given back.
     *
     * <p>What is thrown when no job is open is logged.
     *
     * @param jobs jobs of one type in claim order, at least one
     * @throws Exception what the open jobs have thrown: it counts for each of them as for {@link BundledJob#fail}
     */
    void handle(List<BundledJob<T>> jobs) throws Exception;
}
