package dev.jobqueue.autoconfigure;

import dev.jobqueue.internal.schema.SchemaMigrator;
import org.springframework.beans.factory.InitializingBean;

/** Migrates the queue's schema when it is initialised: after the application's own migrations, before anything uses it. */
final class QueueMigrator implements InitializingBean {

    private final QueueDatabase database;
    private final boolean enabled;

    QueueMigrator(QueueDatabase database, boolean enabled) {
        this.database = database;
        this.enabled = enabled;
    }

    @Override
    public void afterPropertiesSet() {
        if (enabled) {
            new SchemaMigrator(database.dataSource(), database.schema()).migrate();
        }
    }
}
