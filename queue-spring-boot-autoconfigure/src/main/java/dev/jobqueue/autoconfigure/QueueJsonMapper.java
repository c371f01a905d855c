package dev.jobqueue.autoconfigure;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.beans.factory.annotation.Qualifier;

/**
 * Marks the {@code JsonMapper} that writes and reads what jobs carry: payloads, headers, steps and results. Without one
 * the queue uses a mapper of its own, which the settings of the web ({@code spring.jackson}) do not change.
 *
 * <p>Declare it with {@code @Bean(defaultCandidate = false)}, or Spring Boot takes it for the mapper of the web.
 */
@Documented
@Qualifier
@Target({ElementType.FIELD, ElementType.METHOD, ElementType.PARAMETER, ElementType.TYPE, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
public @interface QueueJsonMapper {}
