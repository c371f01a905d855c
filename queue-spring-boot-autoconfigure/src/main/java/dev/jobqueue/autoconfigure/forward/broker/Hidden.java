package dev.jobqueue.autoconfigure.forward.broker;

import java.lang.reflect.Method;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ReflectionUtils;

/** Asks Spring's factories what they tell subclasses only. */
final class Hidden {

    private Hidden() {}

    static @Nullable Object call(Class<?> type, String name, Object target) {
        Method method = Objects.requireNonNull(ReflectionUtils.findMethod(type, name), name);
        ReflectionUtils.makeAccessible(method);
        return ReflectionUtils.invokeMethod(method, target);
    }
}
