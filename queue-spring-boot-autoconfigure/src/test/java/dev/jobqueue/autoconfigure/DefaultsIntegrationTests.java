package dev.jobqueue.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.internal.db.Schema;
import dev.jobqueue.internal.migrate.SchemaMigrator;
import dev.jobqueue.postgres.TestDatabase;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Defaults that properties and SQL functions both have. */
class DefaultsIntegrationTests {

    private static final TestDatabase database = TestDatabase.create();

    private final QueueProperties properties =
            new Binder(new MapConfigurationPropertySource(Map.of())).bindOrCreate("queue", QueueProperties.class);

    @Test
    void areTheSameInPropertiesAndFunctions() {
        new SchemaMigrator(database.dataSource(), new Schema("queue")).migrate();
        String ttl = "ttl interval DEFAULT '00:00:%02d'::interval"
                .formatted(properties.worker().ttl().toSeconds());
        assertThat(arguments("ttl interval DEFAULT '"))
                .hasSizeGreaterThan(4)
                .allSatisfy(arguments -> assertThat(arguments).contains(ttl));
        assertThat(arguments("max integer DEFAULT 10"))
                .anySatisfy(arguments -> assertThat(arguments)
                        .contains(ttl)
                        .contains("max integer DEFAULT " + properties.metrics().countLimit()));
    }

    private static List<String> arguments(String part) {
        return JdbcClient.create(database.dataSource())
                .sql("SELECT pg_get_function_arguments(oid) FROM pg_proc"
                        + " WHERE pronamespace = 'queue'::regnamespace"
                        + " AND strpos(pg_get_function_arguments(oid), :part) > 0")
                .param("part", part)
                .query(String.class)
                .list();
    }
}
