package dev.jobqueue.autoconfigure;

import java.util.Set;
import org.springframework.boot.sql.init.dependency.AbstractBeansOfTypeDatabaseInitializerDetector;

/** Orders the queue's migrations after those of the application (Flyway, Liquibase, scripts). */
final class QueueMigratorDetector extends AbstractBeansOfTypeDatabaseInitializerDetector {

    private static final int AFTER_THE_APPLICATION = 10;

    @Override
    protected Set<Class<?>> getDatabaseInitializerBeanTypes() {
        return Set.of(QueueMigrator.class);
    }

    @Override
    public int getOrder() {
        return AFTER_THE_APPLICATION;
    }
}
