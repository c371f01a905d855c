package dev.jobqueue.sample.jobs;

import java.util.List;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** The live figures of the start page. */
@RestController
class FiguresController {

    private final JdbcClient jdbc;

    FiguresController(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    @GetMapping("/figures")
    List<Figure> figures() {
        return jdbc.sql("SELECT queue, state, count FROM queue.stats ORDER BY queue, state")
                .query(Figure.class)
                .list();
    }

    record Figure(String queue, String state, long count) {}
}
