package dev.jobqueue.autoconfigure;

import dev.jobqueue.HandlerDefinition;
import dev.jobqueue.JobHandler;
import dev.jobqueue.JobType;
import dev.jobqueue.internal.Json;
import dev.jobqueue.internal.handle.HandlerRegistry;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.LinkedHashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;

/**
 * Finds the {@link JobHandler} methods of all beans once they are there, and the {@link HandlerDefinition} beans. Lazy
 * beans stay lazy: a bean is asked for when its first job comes.
 */
final class HandlerScanner implements SmartInitializingSingleton {

    private static final Logger log = LoggerFactory.getLogger(HandlerScanner.class);

    private final ConfigurableListableBeanFactory beans;
    private final HandlerRegistry registry;
    private final ObjectProvider<Json> json;
    private final Map<HandlerDefinition, String> places = new LinkedHashMap<>();

    HandlerScanner(ConfigurableListableBeanFactory beans, HandlerRegistry registry, ObjectProvider<Json> json) {
        this.beans = beans;
        this.registry = registry;
        this.json = json;
    }

    @Override
    public void afterSingletonsInstantiated() {
        for (String name : beans.getBeanNamesForType(Object.class, true, false)) {
            if (!ScopedProxyUtils.isScopedTarget(name)) {
                scan(name);
            }
        }
        beans.getBeanProvider(HandlerDefinition.class)
                .forEach(definition ->
                        register(definition, "The HandlerDefinition of type '%s'".formatted(definition.type())));
        warnOfOtherTypes();
    }

    private void register(HandlerDefinition definition, String who) {
        String problem = json.getObject().whyUnreadable(definition.payloadType());
        if (problem != null) {
            throw unreadable(definition, who, "takes a payload that nothing can be read as. " + problem);
        }
        registry.register(definition, who);
        places.put(definition, who);
    }

    private static InvalidHandlerException unreadable(HandlerDefinition definition, String who, String problem) {
        Class<?> payload = ResolvableType.forType(definition.payloadType()).resolve(Object.class);
        if (Modifier.isAbstract(payload.getModifiers())) {
            return new InvalidHandlerException(
                    who,
                    problem,
                    "Add @JsonTypeInfo to '%s', so that the JSON says which class it is%s, or take a concrete class."
                            .formatted(payload.getName(), payload.isSealed() ? "" : " (and @JsonSubTypes with these)"));
        }
        return new InvalidHandlerException(who, problem);
    }

    /**
     * Tells of handlers whose payload is published under another type that nothing here handles: a typing error, most
     * of the time. It is no failure, because a payload may have several handlers, also on different nodes.
     */
    private void warnOfOtherTypes() {
        places.forEach((definition, who) -> {
            JobType ofThePayload = HandlerRegistry.jobType(definition.payloadType());
            if (ofThePayload != null && registry.find(ofThePayload.value()) == null) {
                log.warn(
                        "{} takes jobs of type '{}', but its payload is published as '{}' (@JobType), which"
                                + " nothing on this node handles. Write the same type in both, or none in @JobHandler.",
                        who,
                        definition.type(),
                        ofThePayload.value());
            }
        });
    }

    private void scan(String name) {
        Class<?> type = AutoProxyUtils.determineTargetClass(beans, name);
        if (type == null) {
            return;
        }
        if (AnnotationUtils.isCandidateClass(type, LimitAnnotations.ALL)) {
            refuseLimitsOfOtherMethods(type);
        }
        if (!AnnotationUtils.isCandidateClass(type, JobHandler.class)) {
            return;
        }
        Map<Method, JobHandler> methods =
                MethodIntrospector.selectMethods(type, (MethodIntrospector.MetadataLookup<JobHandler>)
                        method -> AnnotatedElementUtils.findMergedAnnotation(method, JobHandler.class));
        methods.forEach((method, annotation) -> register(
                new HandlerMethod(beans, name, type, method)
                        .check(beans.containsSingleton(name))
                        .checkResults(resultType -> json.getObject().whyUnreadable(resultType))
                        .define(annotation),
                InvalidHandlerException.name(method)));
    }

    private static void refuseLimitsOfOtherMethods(Class<?> type) {
        Map<Method, Boolean> methods =
                MethodIntrospector.selectMethods(type, (MethodIntrospector.MetadataLookup<Boolean>)
                        method -> LimitAnnotations.isOn(method) ? Boolean.TRUE : null);
        for (Method method : methods.keySet()) {
            if (!AnnotatedElementUtils.hasAnnotation(method, JobHandler.class)) {
                throw new InvalidHandlerException(
                        "The method '%s'".formatted(method.toGenericString()),
                        "has a limit, but is no handler",
                        "Annotate it with @JobHandler too, or remove @Limit, @Fifo and @FairShare.");
            }
        }
    }
}
