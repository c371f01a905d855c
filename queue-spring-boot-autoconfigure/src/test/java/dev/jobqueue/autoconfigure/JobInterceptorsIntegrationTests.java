package dev.jobqueue.autoconfigure;

import static dev.jobqueue.autoconfigure.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobqueue.Job;
import dev.jobqueue.JobContext;
import dev.jobqueue.JobHandler;
import dev.jobqueue.JobState;
import dev.jobqueue.PermanentJobException;
import dev.jobqueue.postgres.TestDatabase;
import dev.jobqueue.spi.JobInterceptor;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Import;
import org.springframework.core.annotation.Order;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

class JobInterceptorsIntegrationTests {

    private static final ThreadLocal<@Nullable String> TENANT = new ThreadLocal<>();

    private static final TestDatabase database = TestDatabase.create();
    private static final JobRows rows = new JobRows(database);
    private static Node node;
    private static Handlers handlers;

    @BeforeAll
    static void start() {
        rows.jdbc().sql("CREATE TABLE visit (job_id uuid, who text)").update();
        node = Node.start(database, Handlers.class);
        handlers = node.bean(Handlers.class);
    }

    @AfterAll
    static void stop() {
        node.close();
    }

    @AfterEach
    void forgetTheTenant() {
        TENANT.remove();
    }

    private static UUID publish(Job job) {
        return node.publisher().publish(job.maxAttempts(1));
    }

    private static List<String> visits(UUID id) {
        return rows.jdbc()
                .sql("SELECT who FROM visit WHERE job_id = ?")
                .param(id)
                .query(String.class)
                .list();
    }

    @Test
    void carryATenantFromThePublisherToTheHandler() {
        TENANT.set("acme");
        UUID id = publish(Job.of("tenant", null));
        rows.await(JobState.COMPLETED, id);
        assertThat(rows.result(id)).isEqualTo("\"acme\"");

        TENANT.set("umbrella");
        List<UUID> ids = node.publisher().publishAll(List.of(Job.of("tenant", 1), Job.of("tenant", 2)));
        rows.await(JobState.COMPLETED, ids);
        assertThat(ids).allSatisfy(each -> assertThat(rows.result(each)).isEqualTo("\"umbrella\""));
    }

    @Test
    void carryATenantToTheJobsThatAHandlerPublishes() {
        TENANT.set("acme");
        UUID parent = publish(Job.of("parent", null));
        rows.await(JobState.COMPLETED, parent);
        UUID child = UUID.fromString(rows.result(parent).replace("\"", ""));
        rows.await(JobState.COMPLETED, child);
        assertThat(rows.result(child)).isEqualTo("\"acme\"");
    }

    @Test
    void goAroundInTheirOrder() {
        TENANT.set("acme");
        UUID id = publish(Job.of("tenant", null));
        await().untilAsserted(() -> assertThat(handlers.calls.getOrDefault(id, List.of()))
                .containsExactly("outer begins", "inner begins", "handler", "inner ends", "outer ends"));
    }

    @Test
    void refuseAPublish() {
        assertThatThrownBy(() -> node.publisher().publish("tenant", null))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("Nobody works for a tenant on this thread");
    }

    @Test
    void leaveTheTransactionOfARefusedPublishAlone() {
        UUID[] id = new UUID[1];
        new TransactionTemplate(node.bean(PlatformTransactionManager.class)).executeWithoutResult(status -> {
            assertThatThrownBy(() -> node.publisher().publish("tenant", null))
                    .isInstanceOf(IllegalStateException.class);
            TENANT.set("acme");
            id[0] = publish(Job.of("tenant", null));
        });
        rows.await(JobState.COMPLETED, id[0]);
    }

    @Test
    void failAnAttempt() {
        TENANT.set("nobody");
        UUID id = publish(Job.of("tenant", null));
        rows.await(JobState.DEAD, id);
        assertThat(rows.errors(id)).singleElement().asString().contains("PermanentJobException: No such tenant");
        assertThat(handlers.calls.get(id)).doesNotContain("handler");
    }

    @Test
    void commitWithATransactionalHandler() {
        TENANT.set("acme");
        UUID id = publish(Job.of("transactional", "fine"));
        rows.await(JobState.COMPLETED, id);
        assertThat(visits(id)).containsExactly("interceptor", "handler");
    }

    @Test
    void rollBackWithATransactionalHandler() {
        TENANT.set("acme");
        UUID id = publish(Job.of("transactional", "broken"));
        rows.await(JobState.DEAD, id);
        assertThat(visits(id)).isEmpty();
    }

    @Test
    void runOutsideOfAnyTransactionAroundOtherHandlers() {
        TENANT.set("acme");
        UUID id = publish(Job.of("broken", null));
        rows.await(JobState.DEAD, id);
        assertThat(visits(id)).containsExactly("interceptor");
    }

    @Import({Outer.class, Tenants.class, Visits.class})
    static class Handlers {

        private final Map<UUID, List<String>> calls = new ConcurrentHashMap<>();
        private final JdbcClient jdbc;

        Handlers(JdbcClient jdbc) {
            this.jdbc = jdbc;
        }

        void called(JobContext job, String what) {
            calls.computeIfAbsent(job.id(), id -> new CopyOnWriteArrayList<>()).add(what);
        }

        @JobHandler("tenant")
        @Nullable
        String tenant(JobContext job) {
            called(job, "handler");
            return TENANT.get();
        }

        @JobHandler("parent")
        UUID parent(JobContext job) {
            return job.publish(Job.of("tenant", null));
        }

        @JobHandler(value = "transactional", transactional = true)
        void write(String mode, JobContext job) {
            visit(jdbc, job, "handler");
            if (mode.contains("broken")) {
                throw new IllegalStateException("on purpose");
            }
        }

        @JobHandler("broken")
        void fail() {
            throw new IllegalStateException("on purpose");
        }

        static void visit(JdbcClient jdbc, JobContext job, String who) {
            jdbc.sql("INSERT INTO visit (job_id, who) VALUES (?, ?)")
                    .params(job.id(), who)
                    .update();
        }
    }

    @Order(1)
    record Outer(Handlers handlers) implements JobInterceptor {

        @Override
        public @Nullable Object handle(JobContext job, Attempt next) throws Exception {
            handlers.called(job, "outer begins");
            try {
                return next.proceed();
            } finally {
                handlers.called(job, "outer ends");
            }
        }
    }

    @Order(2)
    record Tenants(Handlers handlers) implements JobInterceptor {

        @Override
        public List<UUID> publish(List<Job> jobs, Publication next) {
            String tenant = TENANT.get();
            if (tenant == null) {
                throw new IllegalStateException("Nobody works for a tenant on this thread");
            }
            return next.proceed(
                    jobs.stream().map(job -> job.header("tenant", tenant)).toList());
        }

        @Override
        public @Nullable Object handle(JobContext job, Attempt next) throws Exception {
            handlers.called(job, "inner begins");
            TENANT.set(job.headers().get("tenant"));
            try {
                if ("nobody".equals(TENANT.get())) {
                    throw new PermanentJobException("No such tenant");
                }
                return next.proceed();
            } finally {
                TENANT.remove();
                handlers.called(job, "inner ends");
            }
        }
    }

    /** Writes where it runs. */
    record Visits(JdbcClient jdbc) implements JobInterceptor {

        @Override
        public @Nullable Object handle(JobContext job, Attempt next) throws Exception {
            boolean transactional = job.type().equals("transactional");
            assertThat(TransactionSynchronizationManager.isActualTransactionActive())
                    .isEqualTo(transactional);
            if (Stream.of("transactional", "broken").anyMatch(job.type()::equals)) {
                Handlers.visit(jdbc, job, "interceptor");
            }
            return next.proceed();
        }
    }
}
