package dev.jobqueue.internal.migrate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.internal.db.Schema;
import dev.jobqueue.postgres.TestDatabase;
import org.junit.jupiter.api.Test;

class SchemaMigratorConnectionsIntegrationTests {

    private final TestDatabase database = TestDatabase.create();

    @Test
    void needsOneConnection() {
        LimitedDataSource pool = new LimitedDataSource(database.dataSource(), 1);

        assertThat(new SchemaMigrator(pool, new Schema("queue")).migrate()).isTrue();
        assertThat(new SchemaMigrator(pool, new Schema("queue")).migrate()).isFalse();
        assertThat(pool.open()).isZero();
    }
}
