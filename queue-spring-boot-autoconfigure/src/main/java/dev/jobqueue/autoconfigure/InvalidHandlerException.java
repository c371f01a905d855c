package dev.jobqueue.autoconfigure;

import java.lang.reflect.Method;

/** A handler method that cannot be one; found at start. */
final class InvalidHandlerException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    InvalidHandlerException(Method method, String problem) {
        super("The @JobHandler method '%s' %s.".formatted(method.toGenericString(), problem));
    }
}
