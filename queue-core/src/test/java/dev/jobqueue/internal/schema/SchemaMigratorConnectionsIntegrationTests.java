package dev.jobqueue.internal.schema;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.internal.store.Schema;
import dev.jobqueue.postgres.TestDatabase;
import org.junit.jupiter.api.Test;

class SchemaMigratorConnectionsIntegrationTests {

    private final TestDatabase database = TestDatabase.create();

    @Test
    void needsNoMoreThanTwoConnectionsAtATime() {
        LimitedDataSource pool = new LimitedDataSource(database.dataSource(), 2);

        assertThat(new SchemaMigrator(pool, new Schema("queue")).migrate()).isPositive();
        assertThat(new SchemaMigrator(pool, new Schema("queue")).migrate()).isZero();
        assertThat(pool.open()).isZero();
    }
}
