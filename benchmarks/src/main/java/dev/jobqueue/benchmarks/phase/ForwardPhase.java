package dev.jobqueue.benchmarks.phase;

import dev.jobqueue.Forward;
import dev.jobqueue.Job;
import dev.jobqueue.benchmarks.measure.Host;
import dev.jobqueue.benchmarks.measure.Profile;
import dev.jobqueue.benchmarks.measure.Profiler;
import dev.jobqueue.benchmarks.subject.QueueNode;
import dev.jobqueue.benchmarks.subject.QueueSubject;
import dev.jobqueue.broker.KafkaServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;

/** A backlog of messages goes to a Kafka on the same processors. */
public final class ForwardPhase implements Phase {

    public static final String RATE = "forward to Kafka, backlog of 107-byte messages";
    public static final String NOT_KEPT = "queue, history not kept";
    public static final String KEPT = "queue, history kept";
    public static final String ORDERED = "queue, 1,000 keys in order";

    private static final String TOPIC = "forwarded";
    private static final int PARTITIONS = 4;
    private static final int MESSAGES = 200_000;
    private static final int KEYS = 1_000;
    private static final int BULK = 1_000;
    private static final Duration PATIENCE = Duration.ofMinutes(5);

    private final Lab lab;
    private final QueueSubject queue;
    private final KafkaServer kafka;

    public ForwardPhase(Lab lab) throws Exception {
        this.lab = lab;
        this.queue = lab.create(new QueueSubject(KEPT, "queue_forward", lab.server()));
        this.kafka = KafkaServer.start(Map.of(), "-Xmx512m");
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", kafka.address()))) {
            admin.createTopics(List.of(new NewTopic(TOPIC, PARTITIONS, (short) 1)))
                    .all()
                    .get();
        } catch (ExecutionException ex) {
            throw new IllegalStateException(ex);
        }
    }

    @Override
    public void round(int number) throws Exception {
        int messages = lab.scaled(MESSAGES);
        for (int pass : lab.passes(number, 2)) {
            forward(pass, NOT_KEPT, false, messages, Map.of("queue.retention", "0"));
            forward(pass, KEPT, false, messages, Map.of("queue.retention", "7d"));
            forward(pass, ORDERED, true, messages, Map.of("queue.retention", "7d"));
        }
    }

    private void forward(int round, String name, boolean ordered, int messages, Map<String, String> properties)
            throws Exception {
        queue.clear();
        publish(ordered, messages);
        lab.server().tidy(queue.database());
        Map<String, String> all = new LinkedHashMap<>(properties);
        all.put("queue.forward.kafka.enabled", "true");
        all.put("spring.kafka.bootstrap-servers", kafka.address());
        Host.Watch watch = lab.host().watch();
        try (QueueNode node = QueueNode.worker(lab.server().url(queue.database()), all)) {
            await(() -> node.forwarded() > 0);
            long before = node.forwarded();
            long begin = System.nanoTime();
            Profiler profiler = Profiler.start(lab.server());
            await(() -> node.forwarded() >= messages && isEmpty(node));
            double seconds = (System.nanoTime() - begin) / 1e9;
            Profile profile = profiler.stop((int) (messages - before));
            lab.results().add(round, RATE, name, (messages - before) / seconds, "msg/s", watch.foreign());
            lab.results().tell(profile.text());
        }
        lab.server().tidy(queue.database());
    }

    private void publish(boolean ordered, int messages) {
        List<Job> jobs = new ArrayList<>();
        for (int i = 1; i <= messages; i++) {
            Forward.Kafka message = Forward.kafka(TOPIC).key(i % KEYS);
            jobs.add((ordered ? message.ordered() : message).body(Map.of("id", i, "text", "x".repeat(80))));
            if (jobs.size() == BULK || i == messages) {
                queue.node().jobs().publishAll(jobs);
                jobs.clear();
            }
        }
    }

    private static boolean isEmpty(QueueNode node) {
        return Boolean.FALSE.equals(node.jdbc().queryForObject("SELECT EXISTS (SELECT FROM queue.job)", Boolean.class));
    }

    private interface Condition {
        boolean holds();
    }

    private static void await(Condition condition) throws InterruptedException {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!condition.holds()) {
            if (System.nanoTime() > deadline) {
                throw new IllegalStateException("Messages were not forwarded within " + PATIENCE);
            }
            TimeUnit.MILLISECONDS.sleep(5);
        }
    }
}
