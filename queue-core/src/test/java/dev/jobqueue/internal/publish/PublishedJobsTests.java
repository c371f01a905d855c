package dev.jobqueue.internal.publish;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.PublishResult;
import dev.jobqueue.PublishResult.Outcome;
import dev.jobqueue.internal.claim.DirectLeases;
import dev.jobqueue.internal.db.Schema;
import dev.jobqueue.internal.db.Sql;
import dev.jobqueue.internal.extend.Extensions;
import dev.jobqueue.spi.JobEvent;
import dev.jobqueue.spi.JobListener;
import dev.jobqueue.spi.NodeMeter;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** What is told of jobs that were published, some of which were there already. */
class PublishedJobsTests {

    private final Counted counted = new Counted();
    private final Heard heard = new Heard();
    private final Extensions extensions = new Extensions(List.of(counted), true, List::of);
    private final PublishedJobs published = new PublishedJobs(new WakeUps(
            new PublishCalls(Sql.apart(new PGSimpleDataSource(), new Schema("queue"))),
            new Nobody(),
            false,
            extensions.events()));

    /** Tells what there is to tell, and waits until the listener has heard it. */
    private void tell() throws InterruptedException {
        extensions.start(List.of(heard));
        published.tell(extensions.events());
        extensions.stop();
    }

    private static NewJob job(@Nullable Duration delay) {
        return NewJobs.with(UUID.randomUUID(), "mail", "{}")
                .queue("q")
                .delay(delay)
                .uniqueKey("key")
                .build();
    }

    @Test
    void countsThoseThatAreNew() throws InterruptedException {
        NewJob job = job(null);
        for (Outcome outcome : Outcome.values()) {
            published.add(List.of(job), List.of(new PublishResult(UUID.randomUUID(), outcome)), null);
        }

        tell();

        assertThat(counted.counts).containsExactly("q mail 1");
    }

    @Test
    void tellsListenersOfThoseThatAreNewOrReplaced() throws InterruptedException {
        UUID other = UUID.randomUUID();
        NewJob added = job(null);
        published.add(
                List.of(added, job(Duration.ofHours(1)), job(null)),
                List.of(
                        new PublishResult(added.id(), Outcome.NEW),
                        new PublishResult(other, Outcome.REPLACED),
                        new PublishResult(UUID.randomUUID(), Outcome.EXISTING)),
                null);

        tell();

        assertThat(heard.jobs).extracting(JobEvent.Published::id).containsExactly(added.id(), other);
        assertThat(heard.jobs.get(1).runAt()).isEqualTo(heard.jobs.get(1).at().plus(Duration.ofHours(1)));
    }

    @Test
    void wakesWhoeverMayHaveSomethingToDo() {
        List<PublishResult> replaced = List.of(new PublishResult(UUID.randomUUID(), Outcome.REPLACED));

        assertThat(published
                        .add(List.of(job(Duration.ofHours(1))), replaced, null)
                        .queues())
                .containsExactly("");
        assertThat(published.add(List.of(job(Duration.ZERO)), replaced, null).queues())
                .containsExactlyInAnyOrder("", "q");
    }

    private static final class Counted implements NodeMeter {

        private final List<String> counts = new CopyOnWriteArrayList<>();

        @Override
        public void published(String queue, String type, int count) {
            counts.add("%s %s %d".formatted(queue, type, count));
        }
    }

    private static final class Heard implements JobListener {

        private final List<JobEvent.Published> jobs = new CopyOnWriteArrayList<>();

        @Override
        public void published(JobEvent.Published told) {
            jobs.add(told);
        }
    }

    /** An application that has no worker. */
    private static final class Nobody implements LocalWorker {

        @Override
        public void wake(Set<String> queues) {}

        @Override
        public @Nullable DirectLeases offer(List<NewJob> jobs) {
            return null;
        }

        @Override
        public void committed(DirectLeases leases) {}

        @Override
        public void withdrawn(DirectLeases leases) {}
    }
}
