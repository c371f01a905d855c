package dev.jobqueue.internal.handle;

import dev.jobqueue.HandlerDefinition;
import dev.jobqueue.internal.Json;
import dev.jobqueue.internal.db.Database;
import dev.jobqueue.internal.db.Schema;
import dev.jobqueue.internal.extend.Extensions;
import dev.jobqueue.internal.handle.BundledRun.Series;
import dev.jobqueue.internal.settle.Outcome;
import dev.jobqueue.spi.BundleFunction;
import dev.jobqueue.spi.BundledJob;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;
import org.springframework.jdbc.datasource.SimpleDriverDataSource;
import org.springframework.transaction.support.TransactionOperations;
import tools.jackson.databind.json.JsonMapper;

/** Calls a handler of bundles, without slots and without a database. */
final class BundleFixture implements AutoCloseable {

    private final HandlerRegistry handlers = new HandlerRegistry();
    final ConcurrentLinkedQueue<Outcome> told = new ConcurrentLinkedQueue<>();
    final ConcurrentLinkedQueue<Integer> handled = new ConcurrentLinkedQueue<>();
    private final Timeouts timeouts = new Timeouts(job -> {}, job -> {});
    final HandlingSetup setup = new HandlingSetup(
            new Application(
                    new Database(new SimpleDriverDataSource(), new Schema("queue")),
                    handlers,
                    new Json(JsonMapper.builder().build()),
                    Extensions.NONE),
            new HandlingSetup.Resources(TransactionOperations.withoutTransaction(), null, Thread::new),
            Map.of(),
            1_000,
            UUID::randomUUID);
    private final HandlingSetup.Tools tools = setup.tools(timeouts);
    final BundleRunner runner = new BundleRunner(setup, new JobRunner(setup, told::add), told::add);
    volatile BundleFunction<Payload> handler = jobs -> jobs.forEach(this::complete);

    /** Some of them cannot be read. */
    record Payload(int number) {

        Payload {
            if (number == 66) {
                throw new StackOverflowError("on purpose");
            }
            if (number == 77) {
                throw new IllegalStateException("on purpose");
            }
        }
    }

    BundleFixture() {
        handlers.register(
                HandlerDefinition.ofBundle("some", Payload.class, jobs -> handler.handle(jobs), 10),
                "the handler of the test");
    }

    @Override
    public void close() {
        timeouts.close();
    }

    void complete(BundledJob<Payload> job) {
        if (job.complete(null)) {
            handled.add(job.payload().number());
        }
    }

    /** How the jobs ended, by their numbers. */
    List<String> ends() {
        return told.stream()
                .map(each ->
                        each.getClass().getSimpleName() + " " + each.job().id().getLeastSignificantBits())
                .toList();
    }

    List<BundledRun> apart(int... numbers) {
        return IntStream.of(numbers)
                .mapToObj(number -> job(new Series(), "{\"number\": %d}".formatted(number), number))
                .toList();
    }

    List<BundledRun> apart(String payload) {
        return List.of(job(new Series(), payload, 0));
    }

    BundledRun job(Series series, String payload, int number) {
        ClaimedJob claimed = ClaimedJobs.job(new UUID(0, number), "some", payload);
        return new BundledRun(claimed, 10, series, tools, HandlingSetup.Hooks.NONE);
    }
}
