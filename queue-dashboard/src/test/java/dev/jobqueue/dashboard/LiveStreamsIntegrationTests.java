package dev.jobqueue.dashboard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobqueue.Job;
import dev.jobqueue.JobPublisher;
import dev.jobqueue.operate.JobOperations;
import dev.jobqueue.postgres.TestDatabase;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

class LiveStreamsIntegrationTests {

    private static final Duration LIMIT = Duration.ofSeconds(60);

    /** One for each page: reading one waits for its next line. */
    private static final ExecutorService READERS = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "page");
        thread.setDaemon(true);
        return thread;
    });

    private final TestDatabase database = TestDatabase.create();
    private DashboardNode node;
    private LiveStreams streams;

    @BeforeEach
    void start() {
        node = DashboardNode.start(
                database, Watch.class, DashboardNode.WITHOUT_SECURITY, "queue.dashboard.refresh=200ms");
        streams = node.bean(LiveStreams.class);
    }

    @AfterEach
    void stop() {
        node.close();
    }

    /** A page that listens. */
    private final class Page implements AutoCloseable {
        final List<String> lines = new CopyOnWriteArrayList<>();
        final CompletableFuture<HttpResponse<Stream<String>>> answer;
        final CompletableFuture<Void> ended;

        Page(String query) {
            answer = DashboardNode.CLIENT.sendAsync(
                    node.bare("/api/stream" + query).GET().build(), BodyHandlers.ofLines());
            ended = answer.thenAcceptAsync(response -> response.body().forEach(lines::add), READERS);
        }

        long events(String kind) {
            return lines.stream().filter(each -> each.equals("event: " + kind)).count();
        }

        @Override
        public void close() {
            answer.join().body().close();
        }
    }

    private long looks() {
        return node.bean(Counter.class).calls.get();
    }

    @Test
    void tellsHowEverythingIsDoingAgainAndAgain() throws Exception {
        try (Page page = new Page("")) {
            await().atMost(LIMIT).until(() -> page.events("overview") >= 3);
            assertThat(page.answer.get().headers().firstValue("Content-Type"))
                    .hasValue("text/event-stream;charset=utf-8");
            assertThat(page.lines).contains("retry: 2000").anyMatch(each -> each.startsWith("data: {\"at\":"));
        }
    }

    @Test
    void tellsOfAJobWhenItChanges() throws Exception {
        UUID id =
                node.bean(JobPublisher.class).publish(Job.of("later", Map.of()).delay(Duration.ofHours(1)));
        try (Page page = new Page("?job=" + id)) {
            await().atMost(LIMIT).until(() -> page.events("job") == 1 && page.events("overview") > 3);
            node.bean(JobOperations.class).reprioritise(id, 9);
            await().atMost(LIMIT).until(() -> page.events("job") == 2);
            assertThat(page.lines).anyMatch(each -> each.contains("\"priority\":9"));
        }
    }

    @Test
    void costsAsMuchForFiftyPagesAsForOneAndNothingForNone() throws Exception {
        List<Page> pages = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            pages.add(new Page(""));
        }
        await().atMost(LIMIT).until(() -> pages.stream().allMatch(each -> each.events("overview") > 0));
        long begin = System.nanoTime();
        long before = looks();
        long told = pages.get(0).events("overview");
        await().atMost(LIMIT).until(() -> pages.get(0).events("overview") >= told + 10);
        double seconds = (System.nanoTime() - begin) / 1e9;
        assertThat(looks() - before)
                .as("looks in %.1f seconds", seconds)
                .isLessThanOrEqualTo((long) Math.ceil(seconds * 5) + 2);

        for (Page page : pages) {
            page.close();
        }
        await().atMost(LIMIT).until(() -> streams.size() == 0);
        await().atMost(LIMIT).until(() -> {
            long now = looks();
            await().pollDelay(Duration.ofSeconds(1)).until(() -> true);
            return looks() == now;
        });
    }

    @Test
    void goesOnAfterAnError() throws Exception {
        try (Page page = new Page("")) {
            await().atMost(LIMIT).until(() -> page.events("overview") >= 1);
            node.bean(Counter.class).fails.set(true);
            await().atMost(LIMIT).until(() -> !node.bean(Counter.class).fails.get());
            long told = page.events("overview");
            await().atMost(LIMIT).until(() -> page.events("overview") >= told + 2);
        }
    }

    @Test
    void endsWhenTheNodeStops() {
        Page page = new Page("");
        await().atMost(LIMIT).until(() -> page.events("overview") >= 1);
        long begin = System.nanoTime();
        node.close();
        await().atMost(LIMIT).until(page.ended::isDone);
        assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(20));
    }

    @Test
    void troublesNoErrorPageWhenAPageGoes() {
        List<Page> pages = List.of(new Page(""), new Page(""), new Page(""));
        await().atMost(LIMIT).until(() -> pages.stream().allMatch(each -> each.events("overview") > 0));
        pages.forEach(Page::close);
        await().atMost(LIMIT).until(() -> streams.size() == 0);
        Page other = new Page("");
        await().atMost(LIMIT).until(() -> other.events("overview") > 3);
        other.close();
        assertThat(Watch.DISPATCHES).isEmpty();
    }

    /** Sees when requests are dispatched again, to the error page or as the end of an asynchronous one. */
    @Configuration(proxyBeanMethods = false)
    @Import(Counter.class)
    static class Watch {

        static final List<String> DISPATCHES = new CopyOnWriteArrayList<>();

        @Bean
        FilterRegistrationBean<Filter> dispatches() {
            FilterRegistrationBean<Filter> filter = new FilterRegistrationBean<>((request, response, chain) -> {
                DISPATCHES.add(request.getDispatcherType().name());
                chain.doFilter(request, response);
            });
            filter.setDispatcherTypes(DispatcherType.ERROR, DispatcherType.ASYNC);
            filter.setAsyncSupported(true);
            return filter;
        }
    }

    /** Counts looks at the queues. */
    static class Counter implements BeanPostProcessor {

        final AtomicLong calls = new AtomicLong();

        /** Lets the next look meet an Error. */
        final AtomicBoolean fails = new AtomicBoolean();

        @Override
        public Object postProcessAfterInitialization(Object bean, String name) {
            if (!(bean instanceof JobOperations)) {
                return bean;
            }
            ProxyFactory proxy = new ProxyFactory(bean);
            proxy.addAdvice((org.springframework.aop.MethodBeforeAdvice) (method, arguments, target) -> {
                if (method.getName().equals("queues")) {
                    calls.incrementAndGet();
                    if (fails.getAndSet(false)) {
                        throw new NoClassDefFoundError("on purpose");
                    }
                }
            });
            return proxy.getProxy();
        }
    }
}
