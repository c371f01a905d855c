package dev.jobqueue.autoconfigure;

import dev.jobqueue.JobHandler;
import dev.jobqueue.schedule.JobSchedule;
import dev.jobqueue.schedule.Schedule.Origin;
import dev.jobqueue.schedule.ScheduleDefinition;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;

/** Finds the {@link JobSchedule} methods of all beans once they are there, and the {@link ScheduleDefinition} beans. */
final class ScheduleScanner implements SmartInitializingSingleton {

    private final ConfigurableListableBeanFactory beans;
    private final List<DeclaredSchedule> found = new ArrayList<>();

    ScheduleScanner(ConfigurableListableBeanFactory beans) {
        this.beans = beans;
    }

    List<DeclaredSchedule> found() {
        return found;
    }

    @Override
    public void afterSingletonsInstantiated() {
        for (String name : beans.getBeanNamesForType(Object.class, false, false)) {
            if (!ScopedProxyUtils.isScopedTarget(name)) {
                scan(name);
            }
        }
        beans.getBeansOfType(ScheduleDefinition.class)
                .forEach((name, definition) -> found.add(new DeclaredSchedule(
                        "the ScheduleDefinition bean '%s'".formatted(name), Origin.CODE, definition)));
    }

    private void scan(String name) {
        Class<?> type = AutoProxyUtils.determineTargetClass(beans, name);
        if (type == null || !AnnotationUtils.isCandidateClass(type, JobSchedule.class)) {
            return;
        }
        Map<Method, JobSchedule> methods =
                MethodIntrospector.selectMethods(type, (MethodIntrospector.MetadataLookup<JobSchedule>)
                        method -> AnnotatedElementUtils.findMergedAnnotation(method, JobSchedule.class));
        methods.forEach((method, annotation) -> found.add(declare(name, type, method, annotation)));
    }

    private DeclaredSchedule declare(String bean, Class<?> type, Method method, JobSchedule annotation) {
        String where = "the @JobSchedule of '%s'".formatted(method.toGenericString());
        try {
            return new DeclaredSchedule(where, Origin.CODE, define(bean, type, method, annotation));
        } catch (IllegalArgumentException ex) {
            throw new InvalidScheduleException(where, String.valueOf(ex.getMessage()), ex);
        }
    }

    private ScheduleDefinition define(String bean, Class<?> beanType, Method method, JobSchedule annotation) {
        JobHandler handler = AnnotatedElementUtils.findMergedAnnotation(method, JobHandler.class);
        if (handler == null) {
            throw new IllegalArgumentException("the method is no handler; annotate it with @JobHandler too");
        }
        String cron = resolve(annotation.cron());
        String every = resolve(annotation.every());
        String zone = resolve(annotation.zone());
        String name = resolve(annotation.name());
        if (cron.isEmpty() == every.isEmpty()) {
            throw new IllegalArgumentException("it needs either cron or every, and not both");
        }
        String type = new HandlerMethod(beans, bean, beanType, method).type(handler);
        ScheduleDefinition definition = ScheduleDefinition.of(name.isEmpty() ? type : name, type)
                .misfire(annotation.misfire())
                .overlap(annotation.overlap());
        definition = zone.isEmpty() ? definition : definition.zone(zone);
        return every.isEmpty() ? definition.cron(cron) : definition.every(DurationStyle.detectAndParse(every));
    }

    private String resolve(String text) {
        String resolved = beans.resolveEmbeddedValue(text);
        return resolved == null ? "" : resolved;
    }
}
