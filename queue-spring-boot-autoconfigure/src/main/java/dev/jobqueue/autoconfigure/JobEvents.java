package dev.jobqueue.autoconfigure;

import dev.jobqueue.Forwarded;
import dev.jobqueue.JobPublisher;
import dev.jobqueue.JobType;
import java.lang.annotation.Annotation;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.ApplicationListener;
import org.springframework.context.PayloadApplicationEvent;
import org.springframework.core.annotation.AnnotationUtils;

/**
 * Publishes application events as jobs if their class is a {@link JobType} or {@link Forwarded}, on the thread and in
 * the transaction of whoever publishes the event.
 */
final class JobEvents implements ApplicationListener<PayloadApplicationEvent<?>> {

    private final ObjectProvider<JobPublisher> jobs;

    JobEvents(ObjectProvider<JobPublisher> jobs) {
        this.jobs = jobs;
    }

    @Override
    public void onApplicationEvent(PayloadApplicationEvent<?> event) {
        Object payload = event.getPayload();
        if (isOn(payload, JobType.class) || isOn(payload, Forwarded.class)) {
            jobs.getObject().publish(payload);
        }
    }

    private static boolean isOn(Object payload, Class<? extends Annotation> annotation) {
        return AnnotationUtils.findAnnotation(payload.getClass(), annotation) != null;
    }

    /** On the thread of the publisher: an executor of the application would leave its transaction. */
    @Override
    public boolean supportsAsyncExecution() {
        return false;
    }
}
