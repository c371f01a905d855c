package dev.jobqueue.autoconfigure;

import java.lang.reflect.Method;

/** A handler that cannot be one; found at start. */
final class InvalidHandlerException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    InvalidHandlerException(Method method, String problem) {
        this(name(method), problem);
    }

    InvalidHandlerException(String who, String problem) {
        super("%s %s.".formatted(who, problem));
    }

    static String name(Method method) {
        return "The @JobHandler method '%s'".formatted(method.toGenericString());
    }
}
