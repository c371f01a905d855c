package dev.jobqueue.autoconfigure;

import dev.jobqueue.HandlerDefinition;
import dev.jobqueue.HandlerLimit;
import dev.jobqueue.JobContext;
import dev.jobqueue.JobHandler;
import dev.jobqueue.JobType;
import dev.jobqueue.RetryPolicy;
import dev.jobqueue.internal.HandlerResults;
import dev.jobqueue.internal.handle.HandlerRegistry;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.scheduling.annotation.Async;
import org.springframework.util.ReflectionUtils;

/** A {@link JobHandler} method of a bean, as a handler. */
final class HandlerMethod {

    private static final String CONTINUATION = "kotlin.coroutines.Continuation";
    private static final String FUTURES = "A CompletableFuture that the handler returns is awaited.";

    private final BeanFactory beans;
    private final String beanName;
    private final Method method;
    private final HandlerParameters parameters;
    private final Type payloadType;
    private volatile @Nullable Target target;

    HandlerMethod(BeanFactory beans, String beanName, Class<?> beanType, Method method) {
        this.beans = beans;
        this.beanName = beanName;
        this.method = method;
        refuseWhatReturnsTooEarly(beanType);
        this.parameters = new HandlerParameters(method, beanType);
        this.payloadType = parameters.payloadType();
    }

    /** Refuses methods that return before their work is done: a job is completed when its handler returns. */
    private void refuseWhatReturnsTooEarly(Class<?> beanType) {
        if (AnnotatedElementUtils.hasAnnotation(method, Async.class)
                || AnnotatedElementUtils.hasAnnotation(beanType, Async.class)) {
            throw new InvalidHandlerException(
                    method,
                    "is @Async: its job would be completed before its work is done",
                    "Remove @Async from the method and its class. A handler has a thread of its own already, and "
                            + "queue.worker.slots says how many run at once. " + FUTURES);
        }
        Class<?>[] types = method.getParameterTypes();
        if (types.length > 0 && types[types.length - 1].getName().equals(CONTINUATION)) {
            throw new InvalidHandlerException(
                    method,
                    "is a suspend function of Kotlin, which returns before its work is done",
                    "Make it an ordinary function that calls the suspending code in runBlocking { }.");
        }
        if (HandlerResults.isReactive(method.getReturnType())) {
            throw new InvalidHandlerException(
                    method,
                    "returns a '%s', to which nobody subscribes"
                            .formatted(method.getReturnType().getName()),
                    "Return the result, for example by block(). " + FUTURES);
        }
        if (HandlerResults.isUncalled(method.getReturnType())) {
            throw new InvalidHandlerException(
                    method,
                    "returns a '%s', which nobody calls"
                            .formatted(method.getReturnType().getName()),
                    "Do its work in the method and return the result. " + FUTURES);
        }
    }

    /** Fails if the bean has a proxy that cannot call the method; looks only at beans that exist already. */
    HandlerMethod check(boolean isInstantiated) {
        if (isInstantiated) {
            try {
                target();
            } catch (IllegalStateException ex) {
                throw new InvalidHandlerException(
                        method,
                        "cannot be called through the proxy of its bean. " + ex.getMessage(),
                        "Make the method package-private, protected or public, and declare it in the interface if the"
                                + " bean is proxied by one; or remove from the bean what needs a proxy, such as"
                                + " @Transactional.");
            }
        }
        return this;
    }

    /** Fails if it takes the result of a step as something that nothing can be read as. */
    HandlerMethod checkResults(Function<Type, @Nullable String> problems) {
        parameters.checkResults(problems);
        return this;
    }

    /** The type of its jobs: what the annotation says, or else the class of the payload. */
    String type(JobHandler annotation) {
        JobType ofThePayload = HandlerRegistry.jobType(payloadType);
        String type = annotation.value().isEmpty() && ofThePayload != null ? ofThePayload.value() : annotation.value();
        if (type.isBlank()) {
            throw new InvalidHandlerException(
                    method,
                    "names no type",
                    "Name it, as in @JobHandler(\"invoice.send\"), or annotate the class of its payload with"
                            + " @JobType.");
        }
        return type;
    }

    HandlerDefinition define(JobHandler annotation) {
        String type = type(annotation);
        if (annotation.queue().isBlank()) {
            throw new InvalidHandlerException(
                    method, "names no queue", "Name one, or leave queue out: the jobs then go to 'default'.");
        }
        Duration timeout = duration(annotation.timeout(), "timeout");
        if (timeout != null && (timeout.isZero() || timeout.isNegative())) {
            throw new InvalidHandlerException(
                    method,
                    "has timeout '%s', which must be above zero".formatted(annotation.timeout()),
                    "Write a longer one, such as timeout = \"30s\", or leave it out: an attempt then takes as"
                            + " long as it likes.");
        }
        HandlerDefinition definition = HandlerDefinition.ofGeneric(type, payloadType, this::handle)
                .queue(annotation.queue())
                .timeout(timeout)
                .retryPolicy(retryPolicy(annotation))
                .transactional(annotation.transactional())
                .aliases(annotation.aliases());
        for (HandlerLimit each : LimitAnnotations.of(method, type)) {
            definition = definition.limit(each.limit(), each.key());
        }
        return definition;
    }

    private @Nullable RetryPolicy retryPolicy(JobHandler annotation) {
        Duration backoff = duration(annotation.backoff(), "backoff");
        Duration maximum = duration(annotation.maxBackoff(), "maxBackoff");
        if (annotation.maxAttempts() == 0 && annotation.backoffFactor() == 0 && backoff == null && maximum == null) {
            return null;
        }
        RetryPolicy defaults = RetryPolicy.DEFAULT;
        Duration first = backoff == null ? defaults.backoff() : backoff;
        if (maximum != null && maximum.compareTo(first) < 0) {
            throw new InvalidHandlerException(
                    method,
                    "has maxBackoff '%s', which is less than its backoff".formatted(annotation.maxBackoff()),
                    "Make maxBackoff at least as long as backoff, or leave it out.");
        }
        try {
            return new RetryPolicy(
                    annotation.maxAttempts() == 0 ? defaults.maxAttempts() : annotation.maxAttempts(),
                    first,
                    annotation.backoffFactor() == 0 ? defaults.factor() : annotation.backoffFactor(),
                    maximum == null ? RetrySettings.longer(defaults.maximum(), first) : maximum,
                    defaults.jitter());
        } catch (RuntimeException ex) {
            throw new InvalidHandlerException(
                    method,
                    "has a wrong retry policy. " + ex.getMessage(),
                    "Correct maxAttempts, backoff, backoffFactor or maxBackoff, or leave it out.");
        }
    }

    private @Nullable Duration duration(String text, String attribute) {
        if (text.isEmpty()) {
            return null;
        }
        try {
            return DurationStyle.detectAndParse(text);
        } catch (IllegalArgumentException ex) {
            throw new InvalidHandlerException(
                    method,
                    "has %s '%s', which is no duration".formatted(attribute, text),
                    "Write %s as 30s, 5m, 1h or PT1H.".formatted(attribute));
        }
    }

    private @Nullable Object handle(Object payload, JobContext job) throws Exception {
        @Nullable Object[] arguments = parameters.arguments(payload, job);
        Target resolved = target();
        try {
            return resolved.method.invoke(resolved.bean, arguments);
        } catch (InvocationTargetException ex) {
            ReflectionUtils.rethrowException(ex.getTargetException());
            throw new IllegalStateException("unreachable", ex);
        }
    }

    private Target target() {
        Target resolved = target;
        if (resolved == null) {
            Object bean = beans.getBean(beanName);
            Method invocable = AopUtils.selectInvocableMethod(method, bean.getClass());
            ReflectionUtils.makeAccessible(invocable);
            resolved = new Target(bean, invocable);
            if (beans.isSingleton(beanName)) {
                target = resolved;
            }
        }
        return resolved;
    }

    private record Target(Object bean, Method method) {}
}
