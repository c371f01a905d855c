package dev.jobqueue.dashboard;

import dev.jobqueue.operate.AuditAction;
import dev.jobqueue.operate.JobAudit;
import dev.jobqueue.operate.JobCount;
import dev.jobqueue.operate.JobOperations;
import dev.jobqueue.operate.MatchingJobs;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.HttpStatus;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;
import tools.jackson.databind.JsonNode;

/** What people do with all jobs that match a query: counted first, then done in the background by the thousand. */
final class BulkTasks implements Endpoints, AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(BulkTasks.class);

    /** Finished ones are remembered until so many came after them. */
    private static final int REMEMBERED = 100;

    private static final int WAITING = 10;

    private final JobOperations operations;
    private final JobAudit audit;
    private final Runnable changed;
    private final Map<UUID, Task> tasks = new LinkedHashMap<>();
    private final ThreadPoolExecutor threads = new ThreadPoolExecutor(
            1,
            1,
            10,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(WAITING),
            new CustomizableThreadFactory("queue-dashboard-task-"));
    private volatile boolean closed;

    BulkTasks(JobOperations operations, JobAudit audit, Runnable changed) {
        this.operations = operations;
        this.audit = audit;
        this.changed = changed;
        threads.allowCoreThreadTimeOut(true);
    }

    @Override
    public void addTo(Routes routes) {
        routes.get("tasks/*", this::show);
        routes.post("jobs/actions", this::start);
    }

    /** A task as far as it has come. */
    private static final class Task {
        final UUID id = UUID.randomUUID();
        final String action;
        final String query;
        final JobCount total;
        final AtomicLong done = new AtomicLong();
        volatile String state = "RUNNING";
        volatile @Nullable String error;
        volatile @Nullable Long entry;

        Task(String action, String query, JobCount total) {
            this.action = action;
            this.query = query;
            this.total = total;
        }
    }

    Map<String, @Nullable Object> start(Call call) {
        JsonNode body = call.body();
        String text = body.path("q").asString("");
        String action = body.path("action").asString("");
        MatchingJobs batch = operations.all(Query.parse(text).onlyFilter());
        Function<MatchingJobs, JobCount> work = work(action, body);
        JobCount total = work.apply(batch.dryRun());
        Map<String, @Nullable Object> answer = new LinkedHashMap<>();
        if (body.path("dryRun").asBoolean(false)) {
            answer.put("jobs", total.jobs());
            answer.put("isAtLeast", total.isAtLeast());
            return answer;
        }
        Task task = new Task(action, text, total);
        String actor = call.caller().name();
        remember(task);
        try {
            threads.execute(() -> run(task, actor, batch, work));
        } catch (RejectedExecutionException ex) {
            forget(task);
            throw new Refusal(
                    HttpStatus.SERVICE_UNAVAILABLE, "Too many tasks are waiting on this node. Try again in a while.");
        }
        answer.put("task", task.id);
        answer.put("total", total.jobs());
        answer.put("isAtLeast", total.isAtLeast());
        return answer;
    }

    private static Function<MatchingJobs, JobCount> work(String action, JsonNode body) {
        return switch (action) {
            case "cancel" -> MatchingJobs::cancel;
            case "retry" -> MatchingJobs::retry;
            case "replay" -> MatchingJobs::replay;
            case "purge" -> MatchingJobs::purge;
            case "reprioritise" -> {
                int priority = Actions.priority(body);
                yield batch -> batch.reprioritise(priority);
            }
            case "reschedule" -> {
                Instant runAt = Actions.time(body, "runAt");
                yield batch -> batch.reschedule(runAt);
            }
            default ->
                throw Refusal.invalid(
                        "action is '%s': must be one of cancel, retry, replay, purge, reprioritise, reschedule"
                                .formatted(action));
        };
    }

    private void run(Task task, String actor, MatchingJobs batch, Function<MatchingJobs, JobCount> work) {
        try {
            JobCount all = work.apply(batch.around(thousand -> take(task, actor, thousand)));
            log.info("The task '{}' on '{}' by {} took {} jobs", task.action, task.query, actor, all);
            task.state = "DONE";
        } catch (RuntimeException | Error ex) {
            log.warn("The task '{}' on '{}' ended after {} jobs", task.action, task.query, task.done.get(), ex);
            task.error = ex instanceof Refusal refusal ? refusal.text() : ex.toString();
            task.state = "FAILED";
        }
        changed.run();
    }

    /** A thousand jobs and what the audit says of them, in one transaction. */
    private long take(Task task, String actor, LongSupplier thousand) {
        if (closed) {
            throw new Refusal(HttpStatus.SERVICE_UNAVAILABLE, "The node has stopped. Start again to do the rest.");
        }
        Long known = task.entry;
        long[] taken = audit.together(() -> {
            long jobs = thousand.getAsLong();
            long entry = known == null ? audit.record(entry(task, actor).jobs(jobs)) : known;
            if (known != null) {
                audit.add(known, jobs);
            }
            return new long[] {jobs, entry};
        });
        task.entry = taken[1];
        task.done.addAndGet(taken[0]);
        return taken[0];
    }

    private static AuditAction entry(Task task, String actor) {
        return AuditAction.onAll(
                actor, "jobs." + task.action, Responses.MAPPER.writeValueAsString(Map.of("q", task.query)));
    }

    private synchronized void remember(Task task) {
        tasks.put(task.id, task);
        if (tasks.size() > REMEMBERED) {
            tasks.values().stream()
                    .filter(each -> !each.state.equals("RUNNING"))
                    .findFirst()
                    .ifPresent(each -> tasks.remove(each.id));
        }
    }

    private synchronized void forget(Task task) {
        tasks.remove(task.id);
    }

    private synchronized @Nullable Task find(UUID id) {
        return tasks.get(id);
    }

    Map<String, @Nullable Object> show(Call call) {
        Task task = find(call.id());
        if (task == null) {
            throw Refusal.missing("This node has no such task: another one may have, or it ended long ago."
                    + " The audit tells how many jobs it took.");
        }
        Map<String, @Nullable Object> shown = new LinkedHashMap<>();
        shown.put("task", task.id);
        shown.put("action", task.action);
        shown.put("q", task.query);
        shown.put("done", task.done.get());
        shown.put("total", Math.max(task.total.jobs(), task.done.get()));
        shown.put("isAtLeast", task.total.isAtLeast() && task.state.equals("RUNNING"));
        shown.put("state", task.state);
        shown.put("error", task.error);
        shown.put("audit", task.entry);
        return shown;
    }

    @Override
    public void close() {
        closed = true;
        threads.shutdown();
    }
}
