package dev.jobqueue.dashboard;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;
import org.springframework.http.HttpStatus;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

/**
 * Tells open pages how everything is doing. One thread looks, once for all pages, and only while there are any; others
 * write, so that a page that does not read keeps nobody waiting.
 */
final class LiveStreams implements SmartLifecycle {

    private static final Logger log = LoggerFactory.getLogger(LiveStreams.class);

    private static final int MOST_CLIENTS = 500;
    private static final int WRITERS = 4;

    private static final Duration HEARTBEAT = Duration.ofSeconds(15);

    private final Overview overview;
    private final JobViews jobs;
    private final Duration refresh;
    private final List<LiveClient> clients = new CopyOnWriteArrayList<>();
    private final ScheduledThreadPoolExecutor looking =
            new ScheduledThreadPoolExecutor(1, new CustomizableThreadFactory("queue-dashboard-"));
    private final ScheduledThreadPoolExecutor writing =
            new ScheduledThreadPoolExecutor(WRITERS, new CustomizableThreadFactory("queue-dashboard-writer-"));

    private boolean looks;
    private @Nullable Future<?> next;
    private int turn;
    private volatile boolean running;

    LiveStreams(Overview overview, JobViews jobs, Duration refresh) {
        this.overview = overview;
        this.jobs = jobs;
        this.refresh = refresh;
        for (ScheduledThreadPoolExecutor each : List.of(looking, writing)) {
            each.setKeepAliveTime(10, TimeUnit.SECONDS);
            each.allowCoreThreadTimeOut(true);
        }
    }

    void open(HttpServletRequest request, HttpServletResponse response) throws IOException {
        if (!running || clients.size() >= MOST_CLIENTS || !request.isAsyncSupported()) {
            throw new Refusal(HttpStatus.SERVICE_UNAVAILABLE, "This node streams nothing now. Ask api/overview.");
        }
        String job = request.getParameter("job");
        LiveClient client = new LiveClient(
                request, response, job == null || job.isEmpty() ? null : Call.uuid(job), writing, clients::remove);
        clients.add(client);
        client.open();
        if (!running) {
            client.close();
        }
        begin();
    }

    /** The first client starts the looks, which end by themselves after the last. */
    private synchronized void begin() {
        if (!looks) {
            looks = true;
            looking.execute(this::look);
        }
    }

    /** Whatever a look meets, the next one comes. */
    private void look() {
        try {
            tellNews();
        } catch (Error ex) {
            log.warn("The dashboard goes on after an error", ex);
        } finally {
            goOn();
        }
    }

    private void tellNews() {
        try {
            byte[] figures = Responses.MAPPER.writeValueAsBytes(overview.current());
            clients.forEach(each -> each.tell("overview", figures));
            lookAtAJob();
        } catch (RuntimeException ex) {
            // silence is what tells the pages; they ask for the reason themselves
            log.debug("The figures could not be read", ex);
        }
        clients.forEach(each -> each.beat(HEARTBEAT));
    }

    private synchronized void goOn() {
        looks = !clients.isEmpty() && running;
        if (looks) {
            try {
                next = looking.schedule(this::look, refresh.toMillis(), TimeUnit.MILLISECONDS);
            } catch (RejectedExecutionException ex) {
                looks = false;
            }
        }
    }

    /** Looks at one of the watched jobs in turn, and sends it if it has changed. */
    private void lookAtAJob() {
        List<UUID> watched = clients.stream()
                .map(LiveClient::job)
                .filter(Objects::nonNull)
                .distinct()
                .sorted()
                .toList();
        if (watched.isEmpty()) {
            return;
        }
        UUID id = watched.get(Math.floorMod(turn++, watched.size()));
        jobs.find(id).ifPresent(details -> {
            byte[] json = Responses.MAPPER.writeValueAsBytes(details);
            int hash = Arrays.hashCode(json);
            clients.stream()
                    .filter(each -> id.equals(each.job()) && each.isNews(hash))
                    .forEach(each -> each.tell("job", json));
        });
    }

    int size() {
        return clients.size();
    }

    @Override
    public void start() {
        running = true;
    }

    /** Before the web server stops, which waits for requests to end. */
    @Override
    public void stop() {
        running = false;
        cancelNext();
        looking.shutdown();
        clients.forEach(LiveClient::close);
        writing.shutdown();
    }

    private synchronized void cancelNext() {
        if (next != null) {
            next.cancel(false);
        }
    }

    @Override
    public boolean isRunning() {
        return running;
    }
}
