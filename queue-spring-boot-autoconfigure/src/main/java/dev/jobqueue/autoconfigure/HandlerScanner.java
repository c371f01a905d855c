package dev.jobqueue.autoconfigure;

import dev.jobqueue.HandlerDefinition;
import dev.jobqueue.JobHandler;
import dev.jobqueue.internal.HandlerRegistry;
import java.lang.reflect.Method;
import java.util.Map;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.scope.ScopedProxyUtils;
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

    HandlerScanner(ConfigurableListableBeanFactory beans, HandlerRegistry registry) {
        this.beans = beans;
        this.registry = registry;
    }

    @Override
    public void afterSingletonsInstantiated() {
        for (String name : beans.getBeanNamesForType(Object.class, true, false)) {
            if (!ScopedProxyUtils.isScopedTarget(name)) {
                scan(name);
            }
        }
        beans.getBeanProvider(HandlerDefinition.class).forEach(registry::register);
    }

    private void scan(String name) {
        Class<?> type = AutoProxyUtils.determineTargetClass(beans, name);
        if (type == null || !AnnotationUtils.isCandidateClass(type, JobHandler.class)) {
            return;
        }
        Map<Method, JobHandler> methods =
                MethodIntrospector.selectMethods(type, (MethodIntrospector.MetadataLookup<JobHandler>)
                        method -> AnnotatedElementUtils.findMergedAnnotation(method, JobHandler.class));
        methods.forEach((method, annotation) -> registry.register(new HandlerMethod(beans, name, type, method)
                .check(beans.containsSingleton(name))
                .define(annotation)));
    }
}
