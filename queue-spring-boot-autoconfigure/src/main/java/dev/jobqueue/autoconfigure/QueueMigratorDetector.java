package dev.jobqueue.autoconfigure;

import java.util.Set;
import org.springframework.boot.sql.init.dependency.AbstractBeansOfTypeDatabaseInitializerDetector;
import org.springframework.core.Ordered;

/** Orders the queue's migrations after those of the application (Flyway, Liquibase, scripts). */
final class QueueMigratorDetector extends AbstractBeansOfTypeDatabaseInitializerDetector {

    /** After the scripts of Spring Boot, which are the last initializers it knows. */
    private static final int AFTER_THE_APPLICATION = Ordered.LOWEST_PRECEDENCE - 50;

    @Override
    protected Set<Class<?>> getDatabaseInitializerBeanTypes() {
        return Set.of(QueueMigrator.class);
    }

    @Override
    public int getOrder() {
        return AFTER_THE_APPLICATION;
    }
}
