package dev.jobqueue.internal;

import dev.jobqueue.PermanentJobException;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;

/** Awaits what handlers return, and tells which return values nobody would wait for. */
public final class HandlerResults {

    /** By name, because these types may be missing on the class path. */
    private static final Set<String> REACTIVE =
            Set.of("org.reactivestreams.Publisher", "java.util.concurrent.Flow$Publisher");

    private HandlerResults() {}

    /** Whether nothing happens before somebody subscribes to it. */
    public static boolean isReactive(Class<?> type) {
        return REACTIVE.contains(type.getName())
                || ClassUtils.getAllInterfacesForClassAsSet(type).stream()
                        .anyMatch(each -> REACTIVE.contains(each.getName()));
    }

    /** Whether it stands for work that somebody would have to call. */
    public static boolean isUncalled(Class<?> type) {
        return !Future.class.isAssignableFrom(type)
                && (Callable.class.isAssignableFrom(type)
                        || Runnable.class.isAssignableFrom(type)
                        || Supplier.class.isAssignableFrom(type));
    }

    /**
     * Waits for a future, whose work is part of the attempt, and returns its result; anything else is the result
     * itself.
     *
     * @throws Exception what the work threw; an interrupt cancels it
     */
    public static @Nullable Object await(@Nullable Object returned) throws Exception {
        // before Future, because a minimal stage is a Future that refuses get()
        if (returned instanceof CompletionStage<?> stage) {
            return await(get(stage.toCompletableFuture()));
        }
        if (returned instanceof Future<?> future) {
            return await(get(future));
        }
        if (returned != null && isReactive(returned.getClass())) {
            throw new PermanentJobException(
                    ("The handler returned a '%s', to which nobody subscribes. Return its result, or a"
                                    + " CompletableFuture.")
                            .formatted(returned.getClass().getName()));
        }
        if (returned != null && isUncalled(returned.getClass())) {
            throw new PermanentJobException(
                    ("The handler returned a '%s', which nobody calls. Do its work in the handler, and return the"
                                    + " result.")
                            .formatted(returned.getClass().getName()));
        }
        return returned;
    }

    private static @Nullable Object get(Future<?> future) throws Exception {
        try {
            return future.get();
        } catch (InterruptedException ex) {
            future.cancel(true);
            throw ex;
        } catch (ExecutionException ex) {
            throw cause(ex);
        }
    }

    private static Exception cause(Throwable thrown) {
        Throwable cause = thrown;
        while ((cause instanceof ExecutionException || cause instanceof CompletionException)
                && cause.getCause() != null) {
            cause = cause.getCause();
        }
        if (cause instanceof Error error) {
            throw error;
        }
        return cause instanceof Exception exception ? exception : new ExecutionException(cause);
    }
}
