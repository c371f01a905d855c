package dev.jobqueue.internal.limit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.internal.handle.ClaimedJob;
import dev.jobqueue.internal.settle.JobLease;
import dev.jobqueue.internal.settle.SettleCalls.Completion;
import dev.jobqueue.internal.settle.SettleCalls.Failure;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Does what comes by chance, beside a model in memory, and compares: nothing passes that must not, and a claim leaves
 * nothing behind that may pass. A failure names the seed that repeats it.
 */
class LimitModelIntegrationTests {

    private static final int STEPS = 250;

    private static final LimitedQueue lanes = new LimitedQueue();

    private final Map<UUID, Modelled> jobs = new LinkedHashMap<>();
    private final Map<String, Integer> limits = new TreeMap<>();
    private UUID worker = UUID.randomUUID();
    private int published;
    private int run;

    static List<Long> seeds() {
        Long given = Long.getLong("jobqueue.limits.seed");
        return given != null ? List.of(given) : new Random().longs(4).boxed().toList();
    }

    @BeforeEach
    void reset() {
        lanes.queue.reset();
        setLimit("account", 2);
        setLimit("all", 4);
        setRun(1);
        lanes.use("plain", "{account}", "{a}");
        lanes.use("both", "{account,all}", "{a,NULL}");
        lanes.use("wide", "{all}", "{NULL}");
        lanes.use("fifo", "{ledger}", "{a}");
        lanes.use("mixed", "{ledger,all}", "{a,NULL}");
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void doesWhatTheModelAllows(long seed) throws Exception {
        Random random = new Random(seed);
        try {
            for (int step = 0; step < STEPS; step++) {
                step(random);
                if (step % 25 == 24) {
                    compare();
                    lanes.queue.audit();
                }
            }
            drain();
        } catch (AssertionError | RuntimeException ex) {
            throw new AssertionError("With -Djobqueue.limits.seed=" + seed + ": " + ex.getMessage(), ex);
        }
    }

    private void step(Random random) {
        switch (random.nextInt(14)) {
            case 0, 1, 2 -> publish(random);
            case 3, 4, 5 -> claim(1 + random.nextInt(6));
            case 6, 7 -> running(random).forEach(this::complete);
            case 8 -> running(random).forEach(job -> fail(job, random.nextBoolean()));
            case 9 -> cancelOrReschedule(random);
            case 10 -> rescue(1 + random.nextInt(8));
            case 11 -> promote();
            case 12 -> running(random).forEach(this::release);
            default -> changeLimit(random);
        }
    }

    private void publish(Random random) {
        String type = List.of("plain", "both", "wide", "fifo", "mixed", "free").get(random.nextInt(6));
        String key = "k" + random.nextInt(3);
        UUID id = lanes.publish(type, "{\"a\": \"" + key + "\"}", "max_attempts => 3");
        jobs.put(id, new Modelled(id, type, key, published++, Set.copyOf(limits.keySet())));
    }

    private void claim(int most) {
        List<ClaimedJob> claimed = lanes.queue.claims.claim(worker, Map.of("default", most), null);
        checkRuns(claimed.stream().map(each -> jobs.get(each.lease().id())).toList());
        for (ClaimedJob each : claimed) {
            Modelled job = jobs.get(each.lease().id());
            assertThat(job.state).as("state of %s", job).isEqualTo("WAITING");
            job.state = "RUNNING";
            job.claim = each.lease();
            job.holdsLedger |= job.isFifo();
            limits.forEach((limit, most1) -> {
                if (job.has(limit)) {
                    assertThat(holders(limit, job.key))
                            .as("holders of %s for %s", limit, job)
                            .isLessThanOrEqualTo(most1);
                }
            });
        }
        if (claimed.size() < most) {
            assertThat(jobs.values().stream().filter(this::mayPass))
                    .as("jobs that may pass, after a claim of %d brought %d", most, claimed.size())
                    .isEmpty();
        }
    }

    /** The jobs of a key stand next to each other, they are the first ones of their line, and nothing keeps them. */
    private void checkRuns(List<Modelled> claimed) {
        claimed.stream().filter(Modelled::isFifo).map(job -> job.key).distinct().forEach(key -> {
            List<Modelled> ofKey = claimed.stream()
                    .filter(job -> job.isFifo() && job.key.equals(key))
                    .toList();
            assertThat(claimed).as("run of %s", key).containsSequence(ofKey);
            assertThat(ofKey.size()).as("length of the run of %s", key).isLessThanOrEqualTo(run);
            assertThat(line(key)).as("line of %s", key).startsWith(ofKey.toArray(Modelled[]::new));
            assertThat(standsStill(key))
                    .as("holders of %s before the claim", key)
                    .isEmpty();
        });
    }

    /** What waits, in order: those that came back, then all others. */
    private List<Modelled> line(String key) {
        return jobs.values().stream()
                .filter(job -> job.isFifo() && job.key.equals(key) && job.state.equals("WAITING"))
                .sorted(Comparator.comparing((Modelled job) -> !job.holdsLedger).thenComparing(job -> job.number))
                .toList();
    }

    /** What keeps all others of its line from starting. */
    private List<Modelled> standsStill(String key) {
        return jobs.values().stream()
                .filter(job -> job.holdsLedger && job.key.equals(key) && !job.state.equals("WAITING"))
                .toList();
    }

    private boolean mayPass(Modelled job) {
        if (!job.state.equals("WAITING")) {
            return false;
        }
        boolean room = limits.entrySet().stream()
                .allMatch(limit -> !job.has(limit.getKey()) || holders(limit.getKey(), job.key) < limit.getValue());
        boolean first = !job.isFifo()
                || (standsStill(job.key).isEmpty() && line(job.key).get(0) == job);
        return room && first;
    }

    private long holders(String limit, String key) {
        return jobs.values().stream()
                .filter(job -> job.state.equals("RUNNING") && job.has(limit))
                .filter(job -> limit.equals("all") || job.key.equals(key))
                .count();
    }

    private List<Modelled> running(Random random) {
        List<Modelled> running = new ArrayList<>(jobs.values().stream()
                .filter(job -> job.state.equals("RUNNING"))
                .toList());
        Collections.shuffle(running, random);
        return running.subList(0, Math.min(running.size(), 1 + random.nextInt(3)));
    }

    private void complete(Modelled job) {
        assertThat(lanes.queue.settlements.completeAll(List.of(new Completion(job.claim, null))))
                .isEmpty();
        job.end("COMPLETED");
    }

    private void fail(Modelled job, boolean retry) {
        String state = lanes.queue
                .settlements
                .failAll(List.of(new Failure(job.claim, "broken", retry)))
                .get(0)
                .state()
                .name();
        job.state = state;
        if (state.equals("DEAD")) {
            // its line stands behind it: let it go on, or bring the job back
            if (job.number % 2 == 0) {
                lanes.queue.call("purge('" + job.id + "')");
                job.end("GONE");
            } else {
                lanes.queue.call("replay('" + job.id + "')");
                job.state = "WAITING";
            }
        }
    }

    private void release(Modelled job) {
        assertThat(lanes.queue.settlements.release(List.of(job.claim))).isEmpty();
        job.state = "WAITING";
    }

    private void cancelOrReschedule(Random random) {
        List<Modelled> live = jobs.values().stream()
                .filter(job -> List.of("WAITING", "SCHEDULED").contains(job.state))
                .toList();
        if (live.isEmpty()) {
            return;
        }
        Modelled job = live.get(random.nextInt(live.size()));
        if (random.nextBoolean()) {
            lanes.queue.call("reschedule('" + job.id + "', now() + interval '1 hour')");
            job.state = "SCHEDULED";
        } else {
            lanes.queue.operations.cancel(job.id);
            job.end("CANCELLED");
        }
    }

    private void promote() {
        lanes.queue.promoteAll();
        jobs.values().stream().filter(job -> job.state.equals("SCHEDULED")).forEach(job -> job.state = "WAITING");
    }

    /** Those of a run that are not rescued yet keep the others. */
    private void rescue(int most) {
        lanes.queue.silenceWorkers();
        lanes.queue
                .upkeep
                .rescue(Duration.ofSeconds(20), Duration.ZERO, most)
                .jobs()
                .forEach(rescued -> {
                    Modelled job = jobs.get(rescued.id());
                    assertThat(lanes.queue.settlements.completeAll(List.of(new Completion(job.claim, null))))
                            .containsExactly(job.id);
                    job.state = rescued.state().name().equals("PENDING")
                            ? "WAITING"
                            : rescued.state().name();
                    if (job.state.equals("DEAD")) {
                        lanes.queue.call("purge('" + job.id + "')");
                        job.end("GONE");
                    }
                });
        worker = UUID.randomUUID();
    }

    private void changeLimit(Random random) {
        if (random.nextInt(3) == 0) {
            setRun(1 + random.nextInt(4));
            return;
        }
        String limit = random.nextBoolean() ? "account" : "all";
        if (random.nextInt(4) == 0 && limits.size() == 2) {
            lanes.queue.call("remove_limit('" + limit + "')");
            limits.remove(limit);
        } else if (limits.containsKey(limit)) {
            setLimit(limit, 1 + random.nextInt(5));
        } else if (jobs.values().stream().noneMatch(job -> job.state.equals("RUNNING"))) {
            // what has passed without it does not count: only when nothing runs does the model know
            setLimit(limit, 1 + random.nextInt(5));
        }
    }

    private void setRun(int most) {
        lanes.limit("'ledger', kind => 'FIFO', running => " + most);
        run = most;
    }

    private void setLimit(String limit, int running) {
        lanes.limit("'%s', running => %d".formatted(limit, running));
        limits.put(limit, running);
    }

    private void compare() {
        jobs.values().stream().filter(job -> !job.state.equals("GONE")).forEach(job -> {
            String expected = !job.isLimited() && job.state.equals("WAITING") ? "PENDING" : job.state;
            assertThat(lanes.queue.stateOf(job.id).name())
                    .as("state of %s", job)
                    .isEqualTo(expected);
        });
    }

    /** Whatever happened before: with room for all, all ends. */
    private void drain() {
        for (int round = 0; round < 1_000 && jobs.values().stream().anyMatch(Modelled::isLive); round++) {
            promote();
            claim(10);
            jobs.values().stream()
                    .filter(job -> job.state.equals("RUNNING"))
                    .toList()
                    .forEach(this::complete);
        }
        assertThat(jobs.values().stream().filter(Modelled::isLive)).isEmpty();
        for (String table : List.of("job", "waiting", "held")) {
            assertThat(lanes.queue.one(Long.class, "SELECT count(*) FROM queue." + table))
                    .isZero();
        }
    }

    private static final class Modelled {

        private final UUID id;
        private final String type;
        private final String key;
        private final int number;
        private final Set<String> known;
        private String state = "WAITING";
        private boolean holdsLedger;
        private JobLease claim = new JobLease(UUID.randomUUID(), 0);

        Modelled(UUID id, String type, String key, int number, Set<String> known) {
            this.id = id;
            this.type = type;
            this.key = key;
            this.number = number;
            this.known = known;
        }

        boolean isFifo() {
            return type.equals("fifo") || type.equals("mixed");
        }

        /** A limit that was not there when the job was published is none of its own. */
        boolean has(String limit) {
            return known.contains(limit) && ofType(limit);
        }

        private boolean ofType(String limit) {
            return limit.equals("account")
                    ? type.equals("plain") || type.equals("both")
                    : type.equals("both") || type.equals("wide") || type.equals("mixed");
        }

        boolean isLimited() {
            return isFifo() || has("account") || has("all");
        }

        boolean isLive() {
            return List.of("WAITING", "SCHEDULED", "RUNNING").contains(state);
        }

        void end(String ending) {
            state = ending;
            holdsLedger = false;
        }

        @Override
        public String toString() {
            return "%s %s of %s".formatted(type, id, key);
        }
    }
}
