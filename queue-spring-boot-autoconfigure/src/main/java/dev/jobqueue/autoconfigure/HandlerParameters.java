package dev.jobqueue.autoconfigure;

import dev.jobqueue.From;
import dev.jobqueue.JobContext;
import java.lang.reflect.Method;
import java.lang.reflect.Parameter;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.core.BridgeMethodResolver;
import org.springframework.core.MethodParameter;
import org.springframework.core.ParameterizedTypeReference;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotatedElementUtils;

/** What the parameters of a handler method are given: the payload, the context and results of other steps. */
final class HandlerParameters {

    private static final int NONE = -1;

    private final Method method;
    private final int count;
    private final int payloadIndex;
    private final int contextIndex;
    private final Type payloadType;
    private final List<Result> results = new ArrayList<>();

    HandlerParameters(Method method, Class<?> beanType) {
        this.method = method;
        this.count = method.getParameterCount();
        int payload = NONE;
        int context = NONE;
        for (int i = 0; i < count; i++) {
            Parameter parameter = method.getParameters()[i];
            From from = AnnotatedElementUtils.findMergedAnnotation(parameter, From.class);
            if (from != null) {
                results.add(result(from, i, beanType));
            } else if (parameter.getType() == JobContext.class && context == NONE) {
                context = i;
            } else if (payload == NONE && parameter.getType() != JobContext.class) {
                payload = i;
            } else {
                throw new InvalidHandlerException(
                        method,
                        "has more parameters than a payload and a JobContext",
                        "Take one payload, and annotate parameters that get the result of a step of a flow with"
                                + " @From(\"name of the step\").");
            }
        }
        this.payloadIndex = payload;
        this.contextIndex = context;
        this.payloadType = payload == NONE ? Void.class : typeOf(payload, beanType);
    }

    private Result result(From from, int index, Class<?> beanType) {
        if (from.value().isBlank() || method.getParameterTypes()[index] == JobContext.class) {
            throw new InvalidHandlerException(
                    method,
                    "has a @From parameter that gets no result",
                    "Name the step, as in @From(\"pay\") Receipt receipt. The JobContext needs no annotation.");
        }
        return new Result(index, from.value(), ParameterizedTypeReference.forType(typeOf(index, beanType)));
    }

    private Type typeOf(int index, Class<?> beanType) {
        Method declared = BridgeMethodResolver.findBridgedMethod(method);
        ResolvableType resolved = ResolvableType.forMethodParameter(
                new MethodParameter(declared, index), ResolvableType.forClass(beanType));
        if (resolved.resolve() == null) {
            throw new InvalidHandlerException(method, "has a parameter whose type is not known");
        }
        return resolved.hasGenerics() ? resolved.getType() : Objects.requireNonNull(resolved.resolve());
    }

    /** The type of the payload; {@code Void} if the method takes none. */
    Type payloadType() {
        return payloadType;
    }

    /**
     * Fails if a result has a type that nothing can be read as.
     *
     * @param problems tells why nothing can be read as a type; {@code null} if something can
     */
    void checkResults(Function<Type, @Nullable String> problems) {
        for (Result result : results) {
            String problem = problems.apply(result.type().getType());
            if (problem != null) {
                throw new InvalidHandlerException(
                        method,
                        "takes the result of step '%s' as something that nothing can be read as. %s"
                                .formatted(result.step(), problem),
                        "Take the class that the handler of the step returns, or a List of it for the results of"
                                + " each(...).");
            }
        }
    }

    /** The arguments of one call. */
    @Nullable
    Object[] arguments(Object payload, JobContext job) {
        @Nullable Object[] arguments = new Object[count];
        if (payloadIndex != NONE) {
            arguments[payloadIndex] = payload;
        }
        if (contextIndex != NONE) {
            arguments[contextIndex] = job;
        }
        for (Result result : results) {
            arguments[result.index()] = job.resultOf(result.step(), result.type());
        }
        return arguments;
    }

    /** A parameter that gets the result of a step. */
    private record Result(int index, String step, ParameterizedTypeReference<Object> type) {}
}
