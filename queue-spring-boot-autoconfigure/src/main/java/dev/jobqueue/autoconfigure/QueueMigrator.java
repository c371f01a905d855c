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
        SchemaMigrator migrator = new SchemaMigrator(database.dataSource(), database.schema());
        if (enabled) {
            migrator.migrate();
        } else if (!migrator.isMigrated()) {
            throw new InvalidQueueConfigurationException(
                    "queue.schema.migrate",
                    false,
                    "leaves the schema '%s' without the queue, or with an older one"
                            .formatted(database.schema().name()),
                    "Run the script that `java -jar queue-core-VERSION.jar %s` prints, or set queue.schema.migrate=true."
                            .formatted(database.schema().name()));
        }
    }
}
