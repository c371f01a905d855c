package dev.jobqueue.autoconfigure;

import dev.jobqueue.internal.migrate.FunctionRights;
import dev.jobqueue.internal.migrate.SchemaMigrator;
import org.springframework.beans.factory.InitializingBean;

/**
 * Migrates the queue's schema when it is initialised, after the application's own migrations and before anything uses
 * it, or looks whether it is the one this node needs.
 */
final class QueueMigrator implements InitializingBean {

    private final QueueDatabase database;
    private final boolean enabled;
    private final boolean works;

    /**
     * @param enabled whether to migrate
     * @param works whether this node has a worker, which looks for the rights it needs itself
     */
    QueueMigrator(QueueDatabase database, boolean enabled, boolean works) {
        this.database = database;
        this.enabled = enabled;
        this.works = works;
    }

    @Override
    public void afterPropertiesSet() {
        SchemaMigrator migrator = new SchemaMigrator(database.dataSource(), database.schema());
        if (enabled) {
            migrator.migrate();
        } else {
            migrator.check();
        }
        if (!works) {
            new NodeRights(new FunctionRights(database.database())).tellIfItCannotPublish();
        }
    }
}
