package dev.jobqueue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.entry;

import java.util.Map;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;

class ForwardTests {

    private static final Forward.Kafka ORDERS = Forward.kafka("orders");
    private static final Forward.Rabbit SHOP = Forward.rabbit("shop");

    @Test
    void makesAJobOfAMessageForKafka() {
        Job job = ORDERS.key(42).header("a", "1").header("b", "2").body(Map.of("total", 7));

        assertThat(job.type()).isEqualTo("forward.kafka");
        assertThat(job.queue()).isEqualTo("forward.kafka");
        assertThat(job.limits()).isEmpty();
        assertThat(job.payload())
                .isEqualTo(Map.of(
                        "topic",
                        "orders",
                        "key",
                        "42",
                        "headers",
                        Map.of("a", "1", "b", "2"),
                        "body",
                        Map.of("total", 7)));
    }

    @Test
    void makesAJobOfAMessageForRabbit() {
        Job job = SHOP.routingKey("order.placed")
                .contentType("text/csv")
                .cloudEvent("placed")
                .text("a;b");

        assertThat(job.type()).isEqualTo("forward.rabbit");
        assertThat(job.queue()).isEqualTo("forward.rabbit");
        assertThat(job.payload())
                .isEqualTo(Map.of(
                        "exchange", "shop",
                        "routingKey", "order.placed",
                        "contentType", "text/csv",
                        "cloudEvent", "placed",
                        "text", "a;b"));
    }

    @Test
    void leavesWhatItWasMadeOfAsItWas() {
        Forward.Kafka base = ORDERS.header("a", "1");
        base.header("b", "2").key(1).ordered();

        assertThat(base.empty().payload()).isEqualTo(Map.of("topic", "orders", "headers", Map.of("a", "1")));
        assertThat(base.empty().limits()).isEmpty();
    }

    @Test
    void storesBytesAsBase64() {
        assertThat(ORDERS.bytes(new byte[] {1, -1}).payload())
                .asInstanceOf(InstanceOfAssertFactories.MAP)
                .containsEntry("base64", "Af8=");
    }

    @Test
    void keepsMessagesOfATopicAndKeyInOrder() {
        Job job = ORDERS.key(42).ordered().body("x");

        assertThat(job.limits()).containsExactly(entry("forward.kafka", "orders 42"));
    }

    @Test
    void keepsMessagesOfAnExchangeInOrderByRoutingKeyOrByAKeyOfTheirOwn() {
        assertThat(SHOP.ordered().routingKey("placed").body("x").limits())
                .containsExactly(entry("forward.rabbit", "shop placed"));
        assertThat(SHOP.ordered(42).routingKey("placed").body("x").limits())
                .containsExactly(entry("forward.rabbit", "shop 42"));
        assertThat(SHOP.ordered().body("x").limits()).containsExactly(entry("forward.rabbit", "shop "));
    }

    @Test
    void cutsKeysThatALimitCannotHaveBetweenCharacters() {
        Job job = ORDERS.key("\uD83D\uDE00".repeat(600)).ordered().body("x");

        String lane = job.limits().get("forward.kafka");
        assertThat(lane.codePointCount(0, lane.length())).isEqualTo(500);
        assertThat(lane).endsWith("\uD83D\uDE00");
    }

    @Test
    void refusesAnOrderWithoutAKeyInKafka() {
        assertThatExceptionOfType(InvalidJobException.class)
                .isThrownBy(() -> ORDERS.ordered().body("x"))
                .withMessageContaining("topic 'orders' is ordered and has no key");
    }

    @Test
    void refusesWhatIsBlank() {
        assertThatExceptionOfType(InvalidJobException.class)
                .isThrownBy(() -> Forward.kafka(" "))
                .withMessageContaining("topic is ' '");
        assertThatExceptionOfType(InvalidJobException.class)
                .isThrownBy(() -> ORDERS.header("", "1"))
                .withMessageContaining("header is ''");
    }
}
