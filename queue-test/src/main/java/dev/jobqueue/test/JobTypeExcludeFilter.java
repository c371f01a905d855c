package dev.jobqueue.test;

import java.util.Set;
import org.springframework.boot.test.context.filter.annotation.StandardAnnotationCustomizableTypeExcludeFilter;

/** Leaves out the components that a {@link JobTest} does not name. */
final class JobTypeExcludeFilter extends StandardAnnotationCustomizableTypeExcludeFilter<JobTest> {

    JobTypeExcludeFilter(Class<?> testClass) {
        super(testClass);
    }

    @Override
    protected Set<Class<?>> getComponentIncludes() {
        return Set.of(getAnnotation().getClassArray("components"));
    }
}
