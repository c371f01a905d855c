package dev.jobqueue.test;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.test.context.ContextConfiguration;

@JobTest
@JobDatabase
@ContextConfiguration(classes = JobReaderIntegrationTests.Nothing.class)
class JobReaderIntegrationTests {

    private static final List<String> SETTINGS = List.of(
            "epoch",
            "floor",
            "flow_mark",
            "job_limit",
            "job_state",
            "limit_use",
            "measured",
            "queue",
            "retry_policy",
            "schedule",
            "setting",
            "worker");

    @Autowired
    private JdbcTemplate jdbc;

    @Test
    void knowsOfEachTableWhetherItHoldsJobs() {
        List<String> tables = jdbc.queryForList(
                "SELECT relname FROM pg_class WHERE relnamespace = 'queue'::regnamespace AND relkind IN ('r', 'p')"
                        + " AND NOT relispartition",
                String.class);
        List<String> known = Stream.concat(JobReader.TABLES_OF_JOBS.stream(), SETTINGS.stream())
                .toList();
        assertThat(tables)
                .containsAll(JobReader.TABLES_OF_JOBS)
                .filteredOn(table -> !known.contains(table))
                .as("hold jobs (then delete them), or settings (then name them here)")
                .isEmpty();
    }

    @Configuration(proxyBeanMethods = false)
    static class Nothing {}
}
