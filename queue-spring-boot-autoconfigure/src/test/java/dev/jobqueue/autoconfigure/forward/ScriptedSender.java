package dev.jobqueue.autoconfigure.forward;

import dev.jobqueue.autoconfigure.forward.broker.Message;
import dev.jobqueue.autoconfigure.forward.broker.Sender;
import dev.jobqueue.autoconfigure.forward.broker.Unsent;
import dev.jobqueue.autoconfigure.forward.broker.Unsent.Verdict;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** A broker that answers as a test says, on a thread of its own. */
final class ScriptedSender implements Sender {

    /** The texts that arrived, whether or not they were acknowledged. */
    final List<String> arrived = new CopyOnWriteArrayList<>();

    final AtomicInteger tries = new AtomicInteger();

    /** Whether the broker greets: who sends after a reset connects anew. */
    volatile boolean there;

    /** What is never answered, not even by a reset. */
    volatile Predicate<String> silent = text -> false;

    volatile int answersEach = 1;

    volatile Duration patience = Duration.ofSeconds(20);

    volatile String reason = " it is";

    private final ExecutorService thread = Executors.newSingleThreadExecutor();
    private final Function<String, @Nullable Verdict> script;
    private volatile boolean greeted;

    /**
     * @param script what becomes of a text; {@code null} for an acknowledgement
     */
    ScriptedSender(Function<String, @Nullable Verdict> script) {
        this.script = script;
    }

    @Override
    public String broker() {
        return "Kafka";
    }

    @Override
    public Duration patience() {
        return patience;
    }

    @Override
    public void send(Message message, Consumer<@Nullable Unsent> done) {
        tries.incrementAndGet();
        greeted = there;
        String text = new String(Objects.requireNonNull(message.body()), StandardCharsets.UTF_8);
        if (silent.test(text)) {
            return;
        }
        thread.execute(() -> {
            Verdict verdict = script.apply(text);
            if (verdict == null) {
                arrived.add(text);
            }
            for (int i = 0; i < answersEach; i++) {
                done.accept(verdict == null ? null : new Unsent(verdict, verdict + reason, null));
            }
        });
    }

    @Override
    public boolean isThere() {
        return greeted;
    }

    @Override
    public void reset() {
        greeted = false;
    }

    @Override
    public void close() {
        thread.shutdown();
    }
}
