package dev.jobqueue.autoconfigure.forward.broker;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.Method;
import com.rabbitmq.client.ShutdownSignalException;
import dev.jobqueue.autoconfigure.forward.broker.Unsent.Verdict;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A client that has closed the channel and has not told the listeners yet. */
class RabbitLinkTests {

    private final AtomicLong tag = new AtomicLong();
    private final List<Verdict> verdicts = new ArrayList<>();
    private @Nullable ShutdownSignalException reason;

    private <T> T fake(Class<T> type) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> switch (method.getName()) {
                    case "createChannel" -> fake(Channel.class);
                    case "getNextPublishSeqNo" -> tag.incrementAndGet();
                    case "getCloseReason" -> reason;
                    case "getFrameMax", "getChannelNumber" -> 0;
                    default -> null;
                }));
    }

    private List<Verdict> afterTwoMessages() throws Exception {
        RabbitLink link = new RabbitLink(fake(Connection.class));
        for (int i = 0; i < 2; i++) {
            Message message = new Message(UUID.randomUUID(), "none", "none", null, Map.of(), null, null);
            link.publish(message, unsent -> verdicts.add(unsent.verdict()));
        }
        link.abandon();
        return verdicts;
    }

    private static ShutdownSignalException close(Method why) {
        return new ShutdownSignalException(false, false, why, null);
    }

    @Test
    void looksForTheMessageForWhichTheBrokerHasClosedTheChannel() throws Exception {
        reason = close(new AMQP.Channel.Close.Builder()
                .replyCode(AMQP.NOT_FOUND)
                .replyText("no exchange")
                .build());

        assertThat(afterTwoMessages()).containsExactly(Verdict.UNCERTAIN, Verdict.UNCERTAIN);
    }

    @Test
    void takesTheEndOfTheConnectionForAnOutage() throws Exception {
        reason = close(new AMQP.Connection.Close.Builder()
                .replyCode(AMQP.CONNECTION_FORCED)
                .replyText("bye")
                .build());

        assertThat(afterTwoMessages()).containsExactly(Verdict.DOWN, Verdict.DOWN);
    }
}
