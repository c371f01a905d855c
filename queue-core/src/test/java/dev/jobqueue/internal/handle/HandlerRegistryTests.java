package dev.jobqueue.internal.handle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.jobqueue.HandlerDefinition;
import dev.jobqueue.HandlerFunction;
import dev.jobqueue.InvalidJobException;
import dev.jobqueue.JobType;
import dev.jobqueue.internal.handle.HandlerRegistry.DifferentQueueException;
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

    @Test
    void knowsTheQueueOfAPayloadWithoutItsHandler() {
        assertThat(handlers.queueOf("parcel.send", new Parcel())).isEqualTo("parcels");
        assertThat(handlers.queueOf("another.type", new Parcel())).isNull();
        assertThat(handlers.queueOf("parcel.send", Map.of())).isNull();
        assertThat(handlers.queueOf("invoice.send", new Invoice())).isNull();
    }

    @Test
    void givesAHandlerTheQueueOfItsPayload() {
        handlers.register(HandlerDefinition.ofGeneric("parcel.send", Parcel.class, NOTHING), "here");
        handlers.register(
                HandlerDefinition.ofGeneric("mail", Map.class, NOTHING).queue("mails"), "here");

        assertThat(handlers.find("parcel.send"))
                .extracting(HandlerDefinition::queue)
                .isEqualTo("parcels");
        assertThat(handlers.queueOf("parcel.send", Map.of())).isEqualTo("parcels");
        assertThat(handlers.queueOf("mail", Map.of())).isEqualTo("mails");
    }

    @Test
    void refusesAHandlerThatContradictsItsPayload() {
        HandlerDefinition handler = HandlerDefinition.ofGeneric("parcel.send", Parcel.class, NOTHING)
                .queue("mails");

        assertThatExceptionOfType(DifferentQueueException.class)
                .isThrownBy(() -> handlers.register(handler, "Parcels.handle"))
                .withMessageContainingAll("Parcels.handle", "'mails'", "'parcels'", "'parcel.send'");
        handlers.register(handler.queue("parcels"), "Parcels.handle");
    }

    @Test
    void leavesTheQueueOfAnotherTypeAlone() {
        handlers.register(
                HandlerDefinition.ofGeneric("another.type", Parcel.class, NOTHING)
                        .queue("mails"),
                "here");

        assertThat(handlers.queueOf("another.type", new Parcel())).isEqualTo("mails");
    }

    @JobType(value = "parcel.send", queue = "parcels")
    record Parcel() {}

    @JobType(value = "invoice.send", aliases = "sendInvoice")
    record Invoice() {}

    record Page<T>(List<T> items) {}

    sealed interface Shape permits Circle {}

    record Circle(int radius) implements Shape {}
}
