package dev.jobqueue.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.jobqueue.HandlerDefinition;
import dev.jobqueue.HandlerFunction;
import dev.jobqueue.InvalidJobException;
import dev.jobqueue.JobType;
import dev.jobqueue.internal.handle.HandlerRegistry;
import dev.jobqueue.internal.handle.HandlerRegistry.DuplicateHandlerException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.core.ParameterizedTypeReference;

class HandlerRegistryTests {

    private static final HandlerFunction<Object> NOTHING = (payload, job) -> null;

    private final HandlerRegistry handlers = new HandlerRegistry();

    @Test
    void findsAHandlerByTheFormerNamesOfItsType() {
        HandlerDefinition handler = HandlerDefinition.of("invoice.send", Invoice.class, (payload, job) -> null)
                .aliases("mailInvoice");
        handlers.register(handler, "here");

        assertThat(handlers.types()).containsExactlyInAnyOrder("invoice.send", "mailInvoice", "sendInvoice");
        assertThat(handlers.find("mailInvoice")).isSameAs(handler);
        assertThat(handlers.find("sendInvoice")).as("an alias of the payload").isSameAs(handler);
        assertThat(handlers.all()).containsExactly(handler);
        assertThat(handlers.typeOf(new Invoice())).isEqualTo("invoice.send");
    }

    @Test
    void namesBothHandlersOfAType() {
        handlers.register(HandlerDefinition.ofGeneric("same", Map.class, NOTHING), "Orders.handle");

        assertThatExceptionOfType(DuplicateHandlerException.class)
                .isThrownBy(() -> handlers.register(
                        HandlerDefinition.ofGeneric("other", Map.class, NOTHING).aliases("same"), "Mails.handle"))
                .withMessageContaining("'same'")
                .withMessageContaining("Orders.handle")
                .withMessageContaining("Mails.handle");
    }

    @Test
    void knowsTheTypeOfAGenericPayload() {
        handlers.register(
                HandlerDefinition.ofGeneric(
                        "pages", new ParameterizedTypeReference<Page<String>>() {}.getType(), NOTHING),
                "here");

        assertThat(handlers.typeOf(new Page<>(List.of("one")))).isEqualTo("pages");
    }

    @Test
    void knowsTheTypeOfAPayloadThatBelongsToASealedOne() {
        handlers.register(HandlerDefinition.ofGeneric("shape", Shape.class, NOTHING), "here");

        assertThat(handlers.typeOf(new Circle(1))).isEqualTo("shape");
    }

    @Test
    void doesNotGuessTheTypeOfAPayloadThatNobodyTakes() {
        handlers.register(HandlerDefinition.ofGeneric("map", Map.class, NOTHING), "here");

        assertThatExceptionOfType(InvalidJobException.class)
                .isThrownBy(() -> handlers.typeOf(new Circle(1)))
                .withMessageContaining("no handler on this node takes it");
    }

    @JobType(value = "invoice.send", aliases = "sendInvoice")
    record Invoice() {}

    record Page<T>(List<T> items) {}

    sealed interface Shape permits Circle {}

    record Circle(int radius) implements Shape {}
}
