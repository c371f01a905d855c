package dev.jobqueue.dashboard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobqueue.Job;
import dev.jobqueue.JobPublisher;
import dev.jobqueue.dashboard.DashboardNode.Handlers;
import dev.jobqueue.postgres.TestDatabase;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** How many statements open pages cost. The worker is off, so that the dashboard alone sends any. */
class CostIntegrationTests {

    private static final Duration LIMIT = Duration.ofMinutes(2);

    private final ExecutorService readers = Executors.newCachedThreadPool();
    private final List<Stream<String>> streams = new ArrayList<>();
    private DashboardNode node;
    private Statements statements;

    @BeforeEach
    void start() {
        node = DashboardNode.start(
                TestDatabase.create(),
                Counted.class,
                DashboardNode.WITHOUT_SECURITY,
                "queue.worker.enabled=false",
                "queue.dashboard.refresh=1s");
        statements = node.bean(Statements.class);
    }

    @AfterEach
    void stop() {
        streams.forEach(Stream::close);
        readers.shutdownNow();
        node.close();
    }

    /** Opens a stream; returns how many looks at the queues it has told of. */
    private AtomicInteger listen(String query) throws Exception {
        AtomicInteger told = new AtomicInteger();
        Stream<String> lines = DashboardNode.CLIENT
                .send(node.bare("/api/stream" + query).GET().build(), BodyHandlers.ofLines())
                .body();
        streams.add(lines);
        readers.execute(() -> lines.filter("event: overview"::equals).forEach(each -> told.incrementAndGet()));
        return told;
    }

    private double statementsPerSecond(AtomicInteger told) {
        statements.take();
        long begin = System.nanoTime();
        int before = told.get();
        await().atMost(LIMIT).until(() -> told.get() >= before + 5);
        return statements.take().size() / ((System.nanoTime() - begin) / 1e9);
    }

    @Test
    void isThatOfOneForTwoHundredStreamsAndLessThanFiveStatementsASecond() throws Exception {
        List<String> jobs = IntStream.range(0, 50)
                .mapToObj(i -> node.bean(JobPublisher.class)
                        .publish(Job.of("later", Map.of()).delay(Duration.ofHours(1)))
                        .toString())
                .toList();
        AtomicInteger first = listen("?job=" + jobs.get(0));
        await().atMost(LIMIT).until(() -> first.get() > 0);
        double ofOne = statementsPerSecond(first);
        List<AtomicInteger> others = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            others.add(listen(i < jobs.size() ? "?job=" + jobs.get(i) : ""));
        }
        await().atMost(LIMIT).until(() -> others.stream().allMatch(each -> each.get() > 0));
        double ofAll = statementsPerSecond(first);
        LoggerFactory.getLogger(CostIntegrationTests.class)
                .info("Statements a second: {} of one page, {} of 201", ofOne, ofAll);
        assertThat(ofOne).as("of one").isPositive().isLessThan(5);
        assertThat(ofAll).as("of all").isPositive().isLessThan(5);
    }

    @Test
    void isThatOfOneForFiftyTabsWithTheSamePage() throws Exception {
        statements.take();
        assertThat(node.get("/api/jobs").status()).isEqualTo(200);
        assertThat(statements.take()).hasSizeBetween(7, 8);
        long begin = System.nanoTime();
        // longer than any answer is kept for those who open a page
        await().atMost(LIMIT).pollInterval(Duration.ofMillis(100)).until(() -> {
            // a page that asks again and again accepts what another one was told
            assertThat(node.get("/api/jobs", "Cache-Control", "max-age=9").status())
                    .isEqualTo(200);
            return System.nanoTime() - begin > Duration.ofSeconds(5).toNanos();
        });
        assertThat(statements.take()).isEmpty();
        // one that is opened does not
        await().atMost(LIMIT).until(() -> {
            node.get("/api/jobs", "Cache-Control", "no-cache");
            return !statements.take().isEmpty();
        });
    }

    @Configuration(proxyBeanMethods = false)
    static class Counted extends Handlers {

        @Bean
        static Statements statements() {
            return new Statements();
        }
    }
}
