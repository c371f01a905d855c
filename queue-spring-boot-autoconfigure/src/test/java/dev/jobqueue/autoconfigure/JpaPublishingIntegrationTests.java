package dev.jobqueue.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobqueue.JobContext;
import dev.jobqueue.JobHandler;
import dev.jobqueue.JobPublisher;
import dev.jobqueue.JobState;
import dev.jobqueue.postgres.TestDatabase;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration;
import org.springframework.boot.persistence.autoconfigure.EntityScan;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

class JpaPublishingIntegrationTests {

    private static final TestDatabase database = TestDatabase.create();
    private static final JobRows rows = new JobRows(database);
    private static Node node;
    private static EntityManager entities;
    private static JobPublisher jobs;
    private static TransactionTemplate transaction;

    @BeforeAll
    static void start() {
        node = Node.start(
                database, Orders.class, "spring.jpa.hibernate.ddl-auto=create", "spring.jpa.open-in-view=false");
        entities = node.bean(EntityManager.class);
        jobs = node.publisher();
        transaction = new TransactionTemplate(node.bean(PlatformTransactionManager.class));
        assertThat(node.bean(PlatformTransactionManager.class)).isInstanceOf(JpaTransactionManager.class);
    }

    @AfterAll
    static void stop() {
        node.close();
    }

    private static long orders(String id) {
        return rows.jdbc()
                .sql("SELECT count(*) FROM purchase WHERE id = ?")
                .param(id)
                .query(Long.class)
                .single();
    }

    @Test
    void commitsWithTheEntities() {
        UUID id = transaction.execute(status -> {
            entities.persist(new Purchase("committed"));
            return jobs.publish("kept", "committed");
        });
        assertThat(orders("committed")).isOne();
        assertThat(rows.state(id)).hasValue(JobState.PENDING);
    }

    @Test
    void rollsBackWithTheEntities() {
        List<UUID> ids = new ArrayList<>();
        assertThatThrownBy(() -> transaction.executeWithoutResult(status -> {
                    entities.persist(new Purchase("rolled back"));
                    ids.add(jobs.publish("kept", "rolled back"));
                    entities.flush();
                    throw new IllegalStateException("no");
                }))
                .hasMessage("no");
        assertThat(orders("rolled back")).isZero();
        assertThat(rows.state(ids.get(0))).isEmpty();
    }

    @Test
    void rollsBackWhenTheFlushAtCommitFails() {
        transaction.executeWithoutResult(status -> entities.persist(new Purchase("taken")));
        List<UUID> ids = new ArrayList<>();
        assertThatThrownBy(() -> transaction.executeWithoutResult(status -> {
                    ids.add(jobs.publish("kept", "taken"));
                    entities.persist(new Purchase("taken"));
                }))
                .isInstanceOf(RuntimeException.class);
        assertThat(rows.state(ids.get(0))).isEmpty();
    }

    @Test
    void letsATransactionalHandlerPersistTogetherWithItsCompletion() {
        UUID id = jobs.publish("persist", "handled");
        rows.await(JobState.COMPLETED, id);
        assertThat(orders("handled")).isOne();
        UUID failed = jobs.publish("persist.throws", "failed");
        rows.await(JobState.DEAD, failed);
        assertThat(orders("failed")).isZero();
    }

    @Entity
    @Table(name = "purchase")
    static class Purchase {

        @Id
        private String id = "";

        Purchase() {}

        Purchase(String id) {
            this.id = id;
        }

        String id() {
            return id;
        }
    }

    @ImportAutoConfiguration(HibernateJpaAutoConfiguration.class)
    @EntityScan(basePackageClasses = JpaPublishingIntegrationTests.class)
    static class Orders {

        private final EntityManager entities;

        Orders(EntityManager entities) {
            this.entities = entities;
        }

        @JobHandler(value = "persist", transactional = true)
        String persist(String id) {
            Purchase purchase = new Purchase(id);
            entities.persist(purchase);
            return purchase.id();
        }

        @JobHandler(value = "persist.throws", transactional = true, maxAttempts = 1)
        void persistAndThrow(String id, JobContext job) {
            entities.persist(new Purchase(id));
            entities.flush();
            throw new IllegalStateException("attempt " + job.attempt());
        }
    }
}
