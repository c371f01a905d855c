package dev.jobqueue.autoconfigure;

import dev.jobqueue.HandlerDefinition;
import dev.jobqueue.JobHandler;
import dev.jobqueue.internal.Json;
import dev.jobqueue.internal.handle.HandlerRegistry;
import java.lang.reflect.Method;
import java.util.Map;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;

/**
 * Finds the {@link JobHandler} methods of all beans once they are there, and the {@link HandlerDefinition} beans. Lazy
 * beans stay lazy: a bean is asked for when its first job comes.
 */
final class HandlerScanner implements SmartInitializingSingleton {

    private final ConfigurableListableBeanFactory beans;
    private final HandlerRegistry registry;
    private final ObjectProvider<Json> json;

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
    }

    private void register(HandlerDefinition definition, String who) {
        String problem = json.getObject().whyUnreadable(definition.payloadType());
        if (problem != null) {
            throw new InvalidHandlerException(who, "takes a payload that nothing can be read as. " + problem);
        }
        registry.register(definition, who);
    }

    private void scan(String name) {
        Class<?> type = AutoProxyUtils.determineTargetClass(beans, name);
        if (type == null || !AnnotationUtils.isCandidateClass(type, JobHandler.class)) {
            return;
        }
        Map<Method, JobHandler> methods =
                MethodIntrospector.selectMethods(type, (MethodIntrospector.MetadataLookup<JobHandler>)
                        method -> AnnotatedElementUtils.findMergedAnnotation(method, JobHandler.class));
        methods.forEach((method, annotation) -> register(
                new HandlerMethod(beans, name, type, method)
                        .check(beans.containsSingleton(name))
                        .define(annotation),
                InvalidHandlerException.name(method)));
    }
}
