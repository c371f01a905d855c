package dev.jobqueue.sample.jobs;

import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** The live figures of the start page, read with SQL: tables and views of the queue are public for reading. */
@RestController
class FiguresController {

    // ids are in order of time
    private static final String LATEST = """
            SELECT * FROM (
                (SELECT id, type, state, attempt, percent, stage FROM queue.live_job ORDER BY id DESC LIMIT 8)
                UNION ALL
                (SELECT id, type, 'DEAD', attempt, NULL, NULL FROM queue.dead_letter ORDER BY id DESC LIMIT 8)
                UNION ALL
                (SELECT id, type, state, attempt, NULL, NULL FROM queue.job_history ORDER BY id DESC LIMIT 8)) AS latest
            ORDER BY id DESC LIMIT 8
            """;

    private final JdbcClient jdbc;

    FiguresController(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    @GetMapping("/figures")
    Figures figures() {
        return new Figures(
                jdbc.sql("SELECT queue, state, count FROM queue.stats ORDER BY queue, state")
                        .query(Figure.class)
                        .list(),
                jdbc.sql(LATEST).query(LatestJob.class).list());
    }

    record Figures(List<Figure> queues, List<LatestJob> jobs) {}

    record Figure(String queue, String state, long count) {}

    record LatestJob(
            UUID id,
            String type,
            String state,
            int attempt,
            @Nullable Integer percent,
            @Nullable String stage) {}
}
