package dev.jobqueue.autoconfigure;

import dev.jobqueue.internal.db.SchemaMigrator;
import org.springframework.beans.factory.InitializingBean;

/**
 * Migrates the queue's schema when it is initialised, after the application's own migrations and before anything uses it,
 * or looks whether it is the one this node needs.
 */
final class QueueMigrator implements InitializingBean {

    private final QueueDatabase database;
    private final boolean enabled;

    QueueMigrator(QueueDatabase database, boolean enabled) {
        this.database = database;
        this.enabled = enabled;
    }

    @Override
    public void afterPropertiesSet() {
        SchemaMigrator migrator = new SchemaMigrator(database.dataSource(), database.schema());
        if (enabled) {
            migrator.migrate();
        } else {
            migrator.check();
        }
    }
}
