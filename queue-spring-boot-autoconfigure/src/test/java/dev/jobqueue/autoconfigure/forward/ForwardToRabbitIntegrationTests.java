package dev.jobqueue.autoconfigure.forward;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.GetResponse;
import dev.jobqueue.Forward;
import dev.jobqueue.Job;
import dev.jobqueue.JobPublisher;
import dev.jobqueue.autoconfigure.ClusterNode;
import dev.jobqueue.autoconfigure.Patience;
import dev.jobqueue.broker.RabbitServer;
import dev.jobqueue.postgres.Cable;
import dev.jobqueue.postgres.TestDatabase;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.amqp.rabbit.connection.CachingConnectionFactory;
import org.springframework.boot.amqp.autoconfigure.RabbitAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** From the transaction of the publisher to a real RabbitMQ, which the application knows by Boot's properties. */
@Timeout(300)
class ForwardToRabbitIntegrationTests {

    private static final TestDatabase DATABASE = TestDatabase.create();
    private static RabbitServer rabbit;

    private final JdbcClient jdbc = JdbcClient.create(DATABASE.dataSource());

    @BeforeAll
    static void startRabbit() {
        assumeTrue(RabbitServer.isInstalled(), RabbitServer.MISSING);
        rabbit = RabbitServer.start();
        rabbit.control("add_user", "shop", "secret");
        rabbit.control("set_permissions", "shop", "^(?!forbidden).*", "^(?!forbidden).*", ".*");
    }

    @AfterAll
    static void stopRabbit() {
        if (rabbit != null) {
            rabbit.close();
        }
    }

    private static ApplicationContextRunner application(int port) {
        return ForwardApplication.on(DATABASE)
                .withConfiguration(AutoConfigurations.of(RabbitAutoConfiguration.class))
                .withPropertyValues(
                        "spring.rabbitmq.port=" + port,
                        "spring.rabbitmq.username=shop",
                        "spring.rabbitmq.password=secret",
                        "queue.forward.timeout=3s",
                        "queue.forward.backoff=100ms",
                        "queue.forward.max-backoff=500ms");
    }

    private static ApplicationContextRunner application() {
        return application(rabbit.port());
    }

    private interface Work<T> {
        T on(Channel channel) throws Exception;
    }

    private static <T> T with(Work<T> work) {
        ConnectionFactory factory = new ConnectionFactory();
        factory.setPort(rabbit.port());
        try (Connection connection = factory.newConnection();
                Channel channel = connection.createChannel()) {
            return work.on(channel);
        } catch (Exception ex) {
            throw new IllegalStateException(ex);
        }
    }

    /** Declares a queue, reached by the default exchange, and waits until it is on disk: else a kill may lose it. */
    private static void queue(String name) {
        with(channel -> channel.queueDeclare(name, true, false, false, Map.of()));
        rabbit.control("eval", "mnesia:sync_log().");
    }

    private static List<GetResponse> messages(String queue) {
        return with(channel -> {
            List<GetResponse> all = new ArrayList<>();
            for (GetResponse next = channel.basicGet(queue, true); next != null; next = channel.basicGet(queue, true)) {
                all.add(next);
            }
            return all;
        });
    }

    private static List<Job> messages(String queue, int keys, int each) {
        return IntStream.range(0, keys * each)
                .mapToObj(i -> Forward.rabbit("")
                        .routingKey(queue)
                        .header("key", String.valueOf(i % keys))
                        .ordered(queue + i % keys)
                        .text(String.valueOf(i / keys)))
                .toList();
    }

    /** All of them arrived, in the order of their keys; a repetition has the id of the first. */
    private static int arrived(String queue, List<UUID> ids) {
        Set<String> seen = new HashSet<>();
        Map<String, List<String>> firsts = new HashMap<>();
        List<GetResponse> messages = messages(queue);
        for (GetResponse message : messages) {
            if (seen.add(message.getProps().getMessageId())) {
                String key = message.getProps().getHeaders().get("key").toString();
                firsts.computeIfAbsent(key, none -> new ArrayList<>())
                        .add(new String(message.getBody(), StandardCharsets.UTF_8));
            }
        }
        assertThat(seen).isEqualTo(ids.stream().map(UUID::toString).collect(Collectors.toSet()));
        firsts.forEach((key, texts) -> assertThat(texts)
                .as("key %s", key)
                .isEqualTo(IntStream.range(0, texts.size())
                        .mapToObj(String::valueOf)
                        .toList()));
        return messages.size();
    }

    private void awaitCompleted(List<UUID> ids) {
        Patience.await()
                .untilAsserted(() -> assertThat(attempts(ids)).hasSize(1).containsEntry("COMPLETED 1", ids.size()));
    }

    private Map<String, Integer> attempts(List<UUID> ids) {
        return jdbc
                .sql("SELECT state || ' ' || attempt, count(*) FROM queue.job_history WHERE id = ANY (?) GROUP BY 1")
                .param(ids.toArray(UUID[]::new))
                .query((row, number) -> Map.entry(row.getString(1), row.getInt(2)))
                .list()
                .stream()
                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
    }

    @Test
    void sendsWhatWasCommittedAndNothingThatWasRolledBack() {
        queue("transactions");
        application().run(context -> {
            JobPublisher jobs = context.getBean(JobPublisher.class);
            TransactionTemplate transactions =
                    new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
            List<Job> one = messages("transactions", 1, 1);
            transactions.executeWithoutResult(status -> {
                jobs.publishAll(one);
                status.setRollbackOnly();
            });
            List<UUID> ids = transactions.execute(status -> jobs.publishAll(one));
            awaitCompleted(ids);

            assertThat(arrived("transactions", ids)).isEqualTo(1);
        });
    }

    @Test
    void losesNothingAndCountsNoAttemptWhenRabbitIsKilledUnderLoad() {
        queue("killed");
        application().run(context -> {
            JobPublisher jobs = context.getBean(JobPublisher.class);
            List<UUID> ids = new ArrayList<>(jobs.publishAll(messages("killed", 20, 50)));
            rabbit.kill();
            ForwardStatus status = context.getBean(ForwardStatus.class);
            UUID last = jobs.publish(Forward.rabbit("")
                    .routingKey("killed")
                    .header("key", "last")
                    .text("0"));
            ids.add(last);
            Patience.await().until(() -> status.outage() != null);
            rabbit.restart();
            awaitCompleted(ids);

            arrived("killed", ids);
            assertThat(status.outage()).isNull();
        });
    }

    @Test
    void sendsAgainUnderTheSameIdWhenConfirmsAreLost() throws Exception {
        queue("confirms");
        try (Cable cable = Cable.to("localhost", rabbit.port())) {
            application(cable.port()).run(context -> {
                JobPublisher jobs = context.getBean(JobPublisher.class);
                List<UUID> ids = new ArrayList<>(jobs.publishAll(messages("confirms", 5, 10)));
                awaitCompleted(ids);
                cable.loseAnswers();
                ids.addAll(jobs.publishAll(messages("confirms", 1, 1).stream()
                        .map(job -> job.header("key", "later"))
                        .toList()));
                ForwardStatus status = context.getBean(ForwardStatus.class);
                Patience.await().until(() -> status.outage() != null);
                assertThat(status.outage().reason()).contains("no answer within");
                cable.repair();
                awaitCompleted(ids);

                assertThat(messages("confirms").stream()
                                .map(message -> message.getProps().getMessageId())
                                .filter(id -> id.equals(ids.get(50).toString())))
                        .hasSizeGreaterThan(1);
            });
        }
    }

    @Test
    void buriesWhatTheLoginMayNotDo() {
        with(channel -> channel.exchangeDeclare("forbidden", "fanout", true));
        queue("allowed");
        application().run(context -> {
            JobPublisher jobs = context.getBean(JobPublisher.class);
            List<UUID> allowed = jobs.publishAll(messages("allowed", 3, 10));
            UUID refused = jobs.publish(Forward.rabbit("forbidden").text("no"));
            awaitCompleted(allowed);
            Patience.await()
                    .untilAsserted(() -> assertThat(jdbc.sql("SELECT attempt || ' ' || errors::text"
                                            + " FROM queue.dead_letter WHERE id = ?")
                                    .param(refused)
                                    .query(String.class)
                                    .optional())
                            .hasValueSatisfying(
                                    text -> assertThat(text).startsWith("1 ").contains("RabbitMQ: ACCESS_REFUSED")));
        });
    }

    /** Boot's properties name another broker, and another login. */
    @Test
    void sendsByTheConnectionFactoryOfTheApplication() {
        queue("own");
        CachingConnectionFactory own = new CachingConnectionFactory("localhost", rabbit.port());
        application(1)
                .withBean("own", org.springframework.amqp.rabbit.connection.ConnectionFactory.class, () -> own)
                .run(context -> {
                    List<UUID> ids = context.getBean(JobPublisher.class).publishAll(messages("own", 1, 3));
                    awaitCompleted(ids);

                    assertThat(arrived("own", ids)).isEqualTo(3);
                });
    }

    @Test
    void buriesMessagesThatSqlPublishesToAnotherQueue() {
        application().withPropertyValues("queue.queues.mail.slots=10").run(context -> {
            UUID id = jdbc.sql("SELECT queue.publish('forward.rabbit', '{\"exchange\": \"\", \"text\": \"a\"}',"
                            + " queue => 'mail')")
                    .query(UUID.class)
                    .single();
            Patience.await()
                    .untilAsserted(() -> assertThat(jdbc.sql(
                                            "SELECT attempt || ' ' || errors::text FROM queue.dead_letter WHERE id = ?")
                                    .param(id)
                                    .query(String.class)
                                    .optional())
                            .hasValueSatisfying(text -> assertThat(text)
                                    .startsWith("1 ")
                                    .contains("must be in the queue 'forward.rabbit'")));
        });
    }

    @Test
    void sendsAgainUnderTheSameIdWhatADeadNodeDidNotSettle() throws Exception {
        queue("died");
        List<UUID> ids = new ArrayList<>();
        application()
                .withPropertyValues("queue.worker.enabled=false")
                .run(context -> ids.addAll(context.getBean(JobPublisher.class).publishAll(messages("died", 20, 20))));
        // so that no completion commits before the node is dead
        try (java.sql.Connection lock = DATABASE.dataSource().getConnection()) {
            lock.setAutoCommit(false);
            lock.createStatement().execute("LOCK TABLE queue.job_history IN EXCLUSIVE MODE");
            assertThat(exitOfDying()).isEqualTo(DyingForwarder.HALTED);
            lock.rollback();
        }

        application().run(context -> {
            awaitEnded(ids);
            assertThat(arrived("died", ids)).isGreaterThan(ids.size());
        });
    }

    private static int exitOfDying() {
        Process dying = ClusterNode.start(
                DATABASE,
                DyingForwarder.class,
                "--spring.rabbitmq.port=" + rabbit.port(),
                "--queue.worker.heartbeat-interval=200ms",
                "--queue.worker.ttl=4s");
        try {
            assertThat(dying.waitFor(120, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException ex) {
            throw new IllegalStateException(ex);
        } finally {
            dying.destroyForcibly();
        }
        return dying.exitValue();
    }

    private void awaitEnded(List<UUID> ids) {
        Patience.await()
                .untilAsserted(() -> assertThat(attempts(ids).values().stream()
                                .mapToInt(Integer::intValue)
                                .sum())
                        .isEqualTo(ids.size()));
    }

    @Test
    void waitsForARabbitThatRefusesTheLogin() {
        queue("login");
        application().withPropertyValues("spring.rabbitmq.password=wrong").run(context -> {
            JobPublisher jobs = context.getBean(JobPublisher.class);
            List<UUID> ids = jobs.publishAll(messages("login", 1, 3));
            ForwardStatus status = context.getBean(ForwardStatus.class);
            Patience.await().until(() -> status.outage() != null);
            assertThat(status.outage().reason()).contains("ACCESS_REFUSED");
            assertThat(attempts(ids)).isEmpty();
        });
        // by a node that may
        List<GetResponse> arrived = new ArrayList<>();
        application()
                .run(context -> Patience.await().until(() -> arrived.addAll(messages("login")) && arrived.size() == 3));
    }
}
