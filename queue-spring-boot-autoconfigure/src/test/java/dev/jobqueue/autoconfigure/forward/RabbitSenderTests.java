package dev.jobqueue.autoconfigure.forward;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.GetResponse;
import com.rabbitmq.client.impl.CredentialsProvider;
import dev.jobqueue.JobQueueException;
import dev.jobqueue.PermanentJobException;
import dev.jobqueue.autoconfigure.Patience;
import dev.jobqueue.autoconfigure.QueueProperties;
import dev.jobqueue.autoconfigure.forward.broker.RabbitSender;
import dev.jobqueue.broker.RabbitServer;
import dev.jobqueue.postgres.Cable;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.amqp.rabbit.connection.CachingConnectionFactory;

/** Bundles of messages against a real RabbitMQ. */
@Timeout(180)
class RabbitSenderTests {

    private static RabbitServer rabbit;
    private static ConnectionFactory factory;

    private final ForwardStatus status = new ForwardStatus("RabbitMQ", "forward.rabbit");
    private final List<AutoCloseable> opened = new ArrayList<>();

    @BeforeAll
    static void startRabbit() {
        assumeTrue(RabbitServer.isInstalled(), RabbitServer.MISSING);
        rabbit = RabbitServer.start();
        factory = new ConnectionFactory();
        factory.setHost("localhost");
        factory.setPort(rabbit.port());
    }

    @AfterAll
    static void stopRabbit() {
        if (rabbit != null) {
            rabbit.close();
        }
    }

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable each : opened) {
            each.close();
        }
    }

    private Forwarder forwarder() {
        return forwarder(new CachingConnectionFactory("localhost", rabbit.port()), Duration.ofSeconds(5));
    }

    private Forwarder forwarder(CachingConnectionFactory application, Duration timeout) {
        QueueProperties.Forward properties = new QueueProperties.Forward(
                new QueueProperties.Broker(true),
                new QueueProperties.Broker(true),
                timeout,
                Duration.ofMillis(100),
                Duration.ofMillis(500),
                false,
                null,
                List.of("traceparent"),
                null);
        Forwarder forwarder = new Forwarder(
                new RabbitSender(application, timeout),
                new MessageReader(MessageReader.Format.RABBIT, properties, "shop"),
                status,
                properties);
        opened.add(forwarder);
        return forwarder;
    }

    /** A message for a queue, by the default exchange. */
    private static JobInHand to(String queue, String text) {
        return new JobInHand("{\"exchange\": \"\", \"routingKey\": \"%s\", \"text\": \"%s\"}".formatted(queue, text))
                .inLane(1L);
    }

    private interface Work<T> {
        T on(Channel channel) throws Exception;
    }

    private static <T> T with(Work<T> work) {
        try (Connection connection = factory.newConnection();
                Channel channel = connection.createChannel()) {
            return work.on(channel);
        } catch (Exception ex) {
            throw new IllegalStateException(ex);
        }
    }

    private static void queue(String name, Map<String, Object> arguments) {
        with(channel -> channel.queueDeclare(name, true, false, false, arguments));
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

    private static List<String> texts(String queue) {
        return messages(queue).stream()
                .map(message -> new String(message.getBody(), StandardCharsets.UTF_8))
                .toList();
    }

    private static List<String> ends(List<JobInHand> jobs) {
        return jobs.stream().map(JobInHand::end).toList();
    }

    @Test
    void sendsBodyHeadersAndProperties() throws Exception {
        queue("headers", Map.of());
        JobInHand job =
                new JobInHand("{\"exchange\": \"amq.direct\", \"routingKey\": \"h\", \"headers\": {\"a\": \"1\"},"
                        + " \"cloudEvent\": \"placed\", \"body\": {\"total\": 1.50}}");
        with(channel -> channel.queueBind("headers", "amq.direct", "h"));
        forwarder().handle(List.of(job));

        GetResponse message = messages("headers").get(0);
        assertThat(new String(message.getBody(), StandardCharsets.UTF_8)).isEqualTo("{\"total\":1.50}");
        assertThat(message.getProps().getMessageId()).isEqualTo(job.id.toString());
        assertThat(message.getProps().getContentType()).isEqualTo("application/json");
        assertThat(message.getProps().getDeliveryMode()).isEqualTo(2);
        assertThat(message.getProps().getHeaders().keySet())
                .containsExactlyInAnyOrder(
                        "a",
                        "traceparent",
                        "cloudEvents:specversion",
                        "cloudEvents:id",
                        "cloudEvents:source",
                        "cloudEvents:type",
                        "cloudEvents:time");
    }

    @Test
    void buriesWhatNoQueueTakes() throws Exception {
        queue("routed", Map.of());
        List<JobInHand> jobs = List.of(to("nobody", "a"), to("routed", "b"));
        forwarder().handle(List.copyOf(jobs));

        assertThat(ends(jobs)).containsExactly("fail", "complete");
        assertThat(jobs.get(0).error())
                .isInstanceOf(PermanentJobException.class)
                .hasMessage("RabbitMQ: no queue takes it (NO_ROUTE): exchange '', routing key 'nobody'");
    }

    @Test
    void findsTheOneForAnExchangeThatThereIsNotAmongMany() throws Exception {
        queue("many", Map.of());
        List<JobInHand> jobs = new ArrayList<>();
        IntStream.range(0, 40)
                .forEach(i ->
                        jobs.add(new JobInHand("{\"exchange\": \"%s\", \"routingKey\": \"many\", \"text\": \"%d\"}"
                                .formatted(i == 20 ? "none" : "", i))));
        forwarder().handle(List.copyOf(jobs));

        assertThat(jobs.get(20).error())
                .isInstanceOf(JobQueueException.class)
                .isNotInstanceOf(PermanentJobException.class)
                .hasMessageContaining("no exchange 'none'");
        assertThat(ends(jobs)).filteredOn("complete"::equals).hasSize(39);
        assertThat(messages("many").stream()
                        .map(message -> message.getProps().getMessageId())
                        .distinct())
                .hasSize(39);
    }

    @Test
    void keepsTheOrderWhenTheThirdOfFiveIsRefused() throws Exception {
        queue("full", Map.of("x-max-length", 2, "x-overflow", "reject-publish"));
        List<JobInHand> jobs = List.of(
                JobInHand.series(to("full", "1"), to("full", "2"), to("full", "3"), to("full", "4"), to("full", "5")));
        Forwarder forwarder = forwarder();
        forwarder.handle(List.copyOf(jobs));

        assertThat(ends(jobs)).containsExactly("complete", "complete", "fail", "put back", "put back");
        assertThat(jobs.get(2).error())
                .isNotInstanceOf(PermanentJobException.class)
                .hasMessageContaining("nack");
        assertThat(texts("full")).containsExactly("1", "2");
    }

    @Test
    void buriesNamesThatAreTooLong() throws Exception {
        JobInHand job = to("x".repeat(300), "a");
        forwarder().handle(List.of(job));

        assertThat(job.error())
                .isInstanceOf(PermanentJobException.class)
                .hasMessageContaining("routing key has more than 255");
    }

    @Test
    void keepsMessagesWhileRabbitIsDown() throws Exception {
        queue("down", Map.of());
        Forwarder forwarder = forwarder();
        forwarder.handle(List.of(to("down", "0")));
        rabbit.kill();
        List<JobInHand> jobs = IntStream.rangeClosed(1, 20)
                .mapToObj(i -> to("down", String.valueOf(i)))
                .toList();
        Thread thread = JobInHand.handling(forwarder, jobs.toArray(JobInHand[]::new));
        Patience.await().until(() -> status.outage() != null);
        rabbit.restart();
        thread.join();

        assertThat(ends(jobs)).isSubsetOf("complete", "put back").startsWith("complete");
        JobInHand.handleAll(
                forwarder,
                jobs.stream().filter(job -> !job.end().equals("complete")).toArray(JobInHand[]::new));
        assertThat(texts("down").stream().distinct().toList())
                .isEqualTo(
                        IntStream.rangeClosed(0, 20).mapToObj(String::valueOf).toList());
    }

    @Test
    void waitsWhileRabbitHasNoMemory() throws Exception {
        queue("memory", Map.of());
        Forwarder forwarder = forwarder();
        rabbit.control("set_vm_memory_high_watermark", "0.0000001");
        List<JobInHand> jobs = IntStream.range(0, 20)
                .mapToObj(i -> to("memory", String.valueOf(i)))
                .toList();
        Thread thread = JobInHand.handling(forwarder, jobs.toArray(JobInHand[]::new));
        Patience.await().until(() -> status.outage() != null);
        assertThat(status.outage().reason()).contains("blocked: low on memory");
        rabbit.control("set_vm_memory_high_watermark", "0.4");
        thread.join();

        assertThat(ends(jobs)).isSubsetOf("complete", "put back").startsWith("complete");
        JobInHand.handleAll(
                forwarder,
                jobs.stream().filter(job -> !job.end().equals("complete")).toArray(JobInHand[]::new));
        assertThat(texts("memory").stream().distinct().toList())
                .isEqualTo(IntStream.range(0, 20).mapToObj(String::valueOf).toList());
    }

    /** The client counts such a message before it finds that its headers are too large. */
    @Test
    void takesNoConfirmForThatOfAnotherMessageWhenHeadersAreTooLarge() throws Exception {
        queue("large", Map.of());
        JobInHand large = new JobInHand("{\"exchange\": \"\", \"routingKey\": \"large\", \"headers\": {\"a\": \"%s\"}}"
                .formatted("x".repeat(200_000)));
        List<JobInHand> jobs = List.of(to("large", "1"), large, to("other", "2"), to("large", "3"));
        forwarder().handle(List.copyOf(jobs));

        assertThat(ends(jobs)).containsExactly("complete", "fail", "fail", "complete");
        assertThat(large.error()).isInstanceOf(PermanentJobException.class).hasMessageContaining("headers take 200");
        assertThat(texts("large")).containsExactlyInAnyOrder("1", "3");
    }

    @Test
    void endsAWriteThatTheBrokerDoesNotRead() throws Exception {
        queue("stalled", Map.of());
        try (Cable cable = Cable.to("localhost", rabbit.port())) {
            Forwarder forwarder =
                    forwarder(new CachingConnectionFactory("localhost", cable.port()), Duration.ofSeconds(2));
            forwarder.handle(List.of(to("stalled", "0")));
            cable.stall();
            List<JobInHand> jobs = IntStream.range(0, 100)
                    .mapToObj(i -> to("stalled", "x".repeat(400_000)).inLane(null))
                    .toList();
            Thread thread = JobInHand.handling(forwarder, jobs.toArray(JobInHand[]::new));
            Patience.await().until(() -> status.outage() != null);
            forwarder.stop();
            thread.join();

            assertThat(ends(jobs)).containsOnly("put back");
        }
    }

    @Test
    void connectsToWhatTheFactoryOfTheApplicationNames() throws Exception {
        queue("named", Map.of());
        CachingConnectionFactory application = new CachingConnectionFactory("localhost", 1);
        application.setAddresses("localhost:" + rabbit.port());
        JobInHand job = to("named", "a");
        forwarder(application, Duration.ofSeconds(5)).handle(List.of(job));

        assertThat(job.end()).isEqualTo("complete");
    }

    @Test
    void waitsWhenNoClientCanBeMade() throws Exception {
        CachingConnectionFactory application = new CachingConnectionFactory("localhost", rabbit.port());
        application.getRabbitConnectionFactory().setCredentialsProvider(new CredentialsProvider() {
            @Override
            public String getUsername() {
                throw new IllegalStateException("the vault is closed");
            }

            @Override
            public String getPassword() {
                throw new IllegalStateException("the vault is closed");
            }
        });
        Forwarder forwarder = forwarder(application, Duration.ofSeconds(5));
        JobInHand job = to("any", "a");
        Thread thread = JobInHand.handling(forwarder, job);
        Patience.await().until(() -> status.outage() != null);
        assertThat(status.outage().reason()).isEqualTo("the vault is closed");
        forwarder.stop();
        thread.join();

        assertThat(job.end()).isEqualTo("put back");
    }
}
