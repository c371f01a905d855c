package dev.jobqueue.autoconfigure;

import dev.jobqueue.internal.handle.HandlerRegistry.DifferentQueueException;
import dev.jobqueue.internal.handle.HandlerRegistry.DuplicateHandlerException;
import dev.jobqueue.internal.migrate.SchemaException;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;

/** Says what to change when the queue makes an application fail at start. */
final class QueueFailureAnalyzer implements FailureAnalyzer {

    @Override
    public @Nullable FailureAnalysis analyze(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof InvalidQueueConfigurationException invalid) {
                return new FailureAnalysis(invalid.getMessage(), invalid.action(), cause);
            }
            if (cause instanceof SchemaException wrong) {
                return new FailureAnalysis(wrong.getMessage(), wrong.action(), cause);
            }
            if (cause instanceof InvalidScheduleException invalid) {
                return new FailureAnalysis(invalid.getMessage(), invalid.action(), cause);
            }
            if (cause instanceof InvalidHandlerException invalid) {
                return new FailureAnalysis(String.valueOf(cause.getMessage()), invalid.action(), cause);
            }
            if (cause instanceof DifferentQueueException different) {
                return new FailureAnalysis(String.valueOf(cause.getMessage()), different.action(), cause);
            }
            if (cause instanceof DuplicateHandlerException duplicate) {
                return new FailureAnalysis(
                        String.valueOf(cause.getMessage()),
                        "Remove one of the handlers of '%s', or give it another type.".formatted(duplicate.type()),
                        cause);
            }
        }
        return null;
    }
}
