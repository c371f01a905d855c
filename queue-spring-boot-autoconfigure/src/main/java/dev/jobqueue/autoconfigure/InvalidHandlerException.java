package dev.jobqueue.autoconfigure;

import java.lang.reflect.Method;

/** Says at start why a method or a definition cannot be a handler. */
final class InvalidHandlerException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private static final String USUAL_ACTION =
            "Give the method at most one payload parameter and one JobContext parameter, in any order. A payload"
                    + " is a record, a class that Jackson can make, a Map, a JsonNode or a String.";

    private final String action;

    InvalidHandlerException(Method method, String problem) {
        this(name(method), problem);
    }

    InvalidHandlerException(Method method, String problem, String action) {
        this(name(method), problem, action);
    }

    InvalidHandlerException(String who, String problem) {
        this(who, problem, USUAL_ACTION);
    }

    InvalidHandlerException(String who, String problem, String action) {
        super("%s %s%s".formatted(who, problem, problem.endsWith(".") ? "" : "."));
        this.action = action;
    }

    String action() {
        return action;
    }

    static String name(Method method) {
        return "The @JobHandler method '%s'".formatted(method.toGenericString());
    }
}
