package dev.jobqueue.internal.publish;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.PublishResult;
import dev.jobqueue.PublishResult.Outcome;
import dev.jobqueue.internal.QueueEvents;
import dev.jobqueue.internal.db.Schema;
import dev.jobqueue.internal.db.Sql;
import dev.jobqueue.spi.JobEvent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** What is told of jobs that were published, some of which were there already. */
class PublishedJobsTests {

    private final Heard heard = new Heard();
    private final PublishedJobs published = new PublishedJobs(
            new WakeUps(new PublishCalls(Sql.apart(new PGSimpleDataSource(), new Schema("queue"))), false, heard));

    private static NewJob job(@Nullable Duration delay) {
        return new NewJob(UUID.randomUUID(), false, "mail", "{}", "q", 0, null, delay, null, null, "key", null);
    }

    @Test
    void countsThoseThatAreNew() {
        NewJob job = job(null);
        for (Outcome outcome : Outcome.values()) {
            published.add(List.of(job), List.of(new PublishResult(UUID.randomUUID(), outcome)), null);
        }

        published.tell(heard);

        assertThat(heard.counts).containsExactly("q mail 1");
    }

    @Test
    void tellsListenersOfThoseThatAreNewOrReplaced() {
        UUID other = UUID.randomUUID();
        NewJob added = job(null);
        published.add(
                List.of(added, job(Duration.ofHours(1)), job(null), job(null)),
                List.of(
                        new PublishResult(added.id(), Outcome.NEW),
                        new PublishResult(other, Outcome.REPLACED),
                        new PublishResult(UUID.randomUUID(), Outcome.EXISTING),
                        new PublishResult(UUID.randomUUID(), Outcome.DROPPED)),
                null);

        published.tell(heard);

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

    private static final class Heard implements QueueEvents {

        private final List<String> counts = new ArrayList<>();
        private final List<JobEvent.Published> jobs = new ArrayList<>();

        @Override
        public void published(String queue, String type, int count) {
            counts.add("%s %s %d".formatted(queue, type, count));
        }

        @Override
        public boolean followsJobs() {
            return true;
        }

        @Override
        public void published(List<JobEvent.Published> told, int leftOut) {
            jobs.addAll(told);
        }
    }
}
