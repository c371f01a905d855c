package dev.jobqueue.autoconfigure;

import dev.jobqueue.internal.db.Schema;
import dev.jobqueue.internal.migrate.SchemaMigrator;
import dev.jobqueue.postgres.TestDatabase;

/** A new database in which the queue is installed already, for tests of which each has a database of its own. */
public final class MigratedDatabase {

    private static final TestDatabase TEMPLATE = migrated();

    private MigratedDatabase() {}

    /** A copy of a database that is migrated once in this JVM. */
    public static TestDatabase create() {
        return TEMPLATE.copy();
    }

    private static TestDatabase migrated() {
        TestDatabase database = TestDatabase.create();
        new SchemaMigrator(database.dataSource(), new Schema("queue")).migrate();
        return database;
    }
}
