package dev.jobqueue.dashboard;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.web.context.request.async.StandardServletAsyncWebRequest;
import org.springframework.web.context.request.async.WebAsyncUtils;

/** A page that listens. Of each kind of event it is sent the latest only, when it has read the one before. */
final class LiveClient {

    private static final Logger log = LoggerFactory.getLogger(LiveClient.class);

    /** Then the browser comes again, and whether it still may is asked anew. */
    private static final Duration LONGEST = Duration.ofMinutes(10);

    private final OutputStream output;
    private final @Nullable UUID job;
    private final Executor writers;
    private final Consumer<LiveClient> onEnd;
    private final AsyncContext context;
    private final long opened = System.nanoTime();

    private final Map<String, byte[]> waiting = new LinkedHashMap<>();
    private boolean writes;
    private boolean ended;
    private boolean completed;
    private long lastWrite = System.nanoTime();
    private volatile int lastHash;

    LiveClient(
            HttpServletRequest request,
            HttpServletResponse response,
            @Nullable UUID job,
            Executor writers,
            Consumer<LiveClient> onEnd)
            throws IOException {
        this.job = job;
        this.writers = writers;
        this.onEnd = onEnd;
        response.setContentType("text/event-stream;charset=utf-8");
        // or nginx keeps events until there are many
        response.setHeader("X-Accel-Buffering", "no");
        this.output = response.getOutputStream();
        // by Spring's own means, so that filters around this know that the request goes on
        StandardServletAsyncWebRequest async = new StandardServletAsyncWebRequest(request, response);
        async.setTimeout(0L);
        async.addCompletionHandler(this::completed);
        async.addErrorHandler(ex -> close());
        WebAsyncUtils.getAsyncManager(request).setAsyncWebRequest(async);
        async.startAsync();
        this.context = request.getAsyncContext();
    }

    @Nullable
    UUID job() {
        return job;
    }

    void open() {
        send("open", "retry: 2000\n\n".getBytes(StandardCharsets.UTF_8));
    }

    /** Whether this is not what was told last. */
    boolean isNews(int hash) {
        boolean news = lastHash != hash;
        lastHash = hash;
        return news;
    }

    void tell(String event, byte[] json) {
        ByteArrayOutputStream text = new ByteArrayOutputStream(json.length + 32);
        text.writeBytes(("event: " + event + "\ndata: ").getBytes(StandardCharsets.UTF_8));
        text.writeBytes(json);
        text.writeBytes("\n\n".getBytes(StandardCharsets.UTF_8));
        send(event, text.toByteArray());
    }

    /** Says something if nothing was said for so long, and ends what is old. */
    void beat(Duration silence) {
        long now = System.nanoTime();
        if (now - opened > LONGEST.toNanos()) {
            close();
        } else if (now - lastWrite() > silence.toNanos()) {
            send("beat", ":\n\n".getBytes(StandardCharsets.UTF_8));
        }
    }

    private synchronized long lastWrite() {
        return lastWrite;
    }

    private synchronized void send(String kind, byte[] text) {
        if (ended) {
            return;
        }
        waiting.put(kind, text);
        if (!writes) {
            try {
                writers.execute(this::write);
                writes = true;
            } catch (RejectedExecutionException ex) {
                log.debug("The writers have stopped", ex);
            }
        }
    }

    private void write() {
        try {
            for (byte[] next = next(); next != null; next = next()) {
                output.write(next);
                output.flush();
            }
        } catch (IOException ex) {
            // The server has met the error too and reports it to the error handler, which completes the request. To do
            // that from here might come late: the server may use the context for another request by then.
            log.debug("A page has gone", ex);
            end();
        } catch (RuntimeException ex) {
            log.debug("A page cannot be told any more", ex);
            close();
        }
    }

    private synchronized byte @Nullable [] next() {
        var first = waiting.keySet().iterator();
        if (ended || !first.hasNext()) {
            writes = false;
            return null;
        }
        lastWrite = System.nanoTime();
        return waiting.remove(first.next());
    }

    void close() {
        end();
        complete();
    }

    /**
     * Once, and never after the server did: it uses the context again for other requests. What is not completed when
     * the server reports an error goes to the application's error page.
     */
    private synchronized void complete() {
        if (!completed) {
            completed = true;
            try {
                context.complete();
            } catch (IllegalStateException ex) {
                log.debug("A stream had ended", ex);
            }
        }
    }

    private void completed() {
        synchronized (this) {
            completed = true;
        }
        end();
    }

    private void end() {
        synchronized (this) {
            if (ended) {
                return;
            }
            ended = true;
        }
        onEnd.accept(this);
    }
}
