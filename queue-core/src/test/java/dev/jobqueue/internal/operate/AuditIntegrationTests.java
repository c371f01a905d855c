package dev.jobqueue.internal.operate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobqueue.InvalidJobException;
import dev.jobqueue.JobNotFoundException;
import dev.jobqueue.JobState;
import dev.jobqueue.internal.QueueFixture;
import dev.jobqueue.internal.db.Sql;
import dev.jobqueue.operate.AuditAction;
import dev.jobqueue.operate.AuditEntry;
import dev.jobqueue.operate.JobAudit;
import dev.jobqueue.operate.JobFilter;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

class AuditIntegrationTests {

    private static final QueueFixture queue = new QueueFixture();
    private static final DataSource DATA_SOURCE = queue.connect();
    private static final Sql SQL = Sql.joining(DATA_SOURCE, QueueFixture.SCHEMA);
    private static final QueueOperations operations = QueueFixture.api(SQL);

    private final JobAudit audit =
            new QueueAudit(new AuditCalls(SQL), new TransactionTemplate(new JdbcTransactionManager(DATA_SOURCE)));

    @AfterEach
    void reset() {
        queue.reset();
    }

    @Test
    void tellsWhoDidWhatTheLatestFirst() {
        long first = audit.record(AuditAction.on("ann", "queue.pause", "mail").undo("{\"action\": \"resume\"}"));
        long second = audit.record(AuditAction.onAll("bob", "jobs.purge", "{\"q\": \"state:dead\"}")
                .jobs(1_000));
        audit.add(second, 500);

        List<AuditEntry> entries = audit.find(null, 10);

        assertThat(entries).extracting(AuditEntry::id).containsExactly(second, first);
        assertThat(entries).extracting(AuditEntry::jobs).containsExactly(1_500L, 0L);
        assertThat(entries).extracting(AuditEntry::canUndo).containsExactly(false, true);
        assertThat(entries).extracting(AuditEntry::actor).containsExactly("bob", "ann");
        assertThat(audit.find(second, 10)).extracting(AuditEntry::id).containsExactly(first);
        assertThat(audit.find(null, 1)).hasSize(1);
    }

    @Nested
    class AnAction {

        @Test
        void isRolledBackIfItCannotBeRecorded() {
            UUID id = queue.publish();

            assertThatThrownBy(() -> audit.together(() -> {
                        operations.cancel(id);
                        return audit.record(AuditAction.on(" ", "job.cancel", id.toString()));
                    }))
                    .isInstanceOf(InvalidJobException.class)
                    .hasMessageContaining("actor is ' '");

            assertThat(queue.stateOf(id)).isEqualTo(JobState.PENDING);
        }

        @Test
        void isNotRecordedIfItFails() {
            assertThatThrownBy(() -> audit.together(() -> {
                        audit.record(AuditAction.on("ann", "job.purge", "x"));
                        operations.purge(UUID.randomUUID());
                        return "";
                    }))
                    .isInstanceOf(JobNotFoundException.class);

            assertThat(audit.find(null, 10)).isEmpty();
        }

        @Test
        void isUndoneOnce() {
            long id = audit.record(AuditAction.on("ann", "queue.pause", "mail").undo("{\"action\": \"resume\"}"));

            AuditAction undone = audit.undo(id, "bob");

            assertThat(undone.target()).isEqualTo("mail");
            assertThat(undone.undo()).isEqualTo("{\"action\": \"resume\"}");
            assertThat(audit.find(null, 1).get(0).undoneBy()).isEqualTo("bob");
            assertThat(audit.find(null, 1).get(0).canUndo()).isFalse();
            assertThatThrownBy(() -> audit.undo(id, "bob"))
                    .isInstanceOf(InvalidJobException.class)
                    .hasMessageContaining("was undone by bob");
        }

        @Test
        void thatCannotBeUndoneIsRefused() {
            long id = audit.record(AuditAction.on("ann", "job.purge", "x"));

            assertThatThrownBy(() -> audit.undo(id, "bob")).isInstanceOf(InvalidJobException.class);
            assertThatThrownBy(() -> audit.undo(id + 1, "bob")).isInstanceOf(JobNotFoundException.class);
        }

        @Test
        void isForgottenAfterNinetyDays() {
            audit.record(AuditAction.on("ann", "job.purge", "old"));
            queue.execute("UPDATE queue.audit SET at = at - interval '91 days'");
            audit.record(AuditAction.on("ann", "job.purge", "new"));

            while (queue.upkeep.prune(1_000)) {
                // until nothing is left
            }

            assertThat(audit.find(null, 10)).extracting(AuditEntry::target).containsExactly("new");
        }
    }

    @Test
    void canBeAroundEachThousandOfABatch() {
        queue.list(UUID.class, "SELECT queue.publish('mail', '{}') FROM generate_series(1, 2500)");
        List<Long> thousands = new ArrayList<>();

        assertThatThrownBy(() -> operations
                        .all(JobFilter.of(JobState.PENDING))
                        .around(thousand -> audit.together(() -> {
                            long jobs = thousand.getAsLong();
                            thousands.add(jobs);
                            if (thousands.size() == 2) {
                                throw new IllegalStateException("enough");
                            }
                            return jobs;
                        }))
                        .cancel())
                .hasMessage("enough");

        assertThat(thousands).containsExactly(1_000L, 1_000L);
        assertThat(queue.one(Long.class, "SELECT count(*) FROM queue.job")).isEqualTo(1_500);
    }
}
