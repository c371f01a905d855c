package dev.jobqueue.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import dev.jobqueue.HandlerDefinition;
import dev.jobqueue.JobContext;
import dev.jobqueue.JobHandler;
import dev.jobqueue.JobType;
import dev.jobqueue.postgres.TestDatabase;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.Flow;
import java.util.function.Consumer;
import java.util.stream.Stream;
import kotlin.coroutines.Continuation;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.scheduling.annotation.Async;
import org.springframework.transaction.annotation.Transactional;

class InvalidHandlersIntegrationTests {

    private static final ApplicationContextRunner application = QueueApplication.on(TestDatabase.create());

    static Stream<Arguments> wrongHandlers() {
        return Stream.of(
                Arguments.of(TwoPayloads.class, "has more parameters than a payload and a JobContext"),
                Arguments.of(TwoContexts.class, "has more parameters than a payload and a JobContext"),
                Arguments.of(NoType.class, "names no type"),
                Arguments.of(NoTypeAnywhere.class, "names no type"),
                Arguments.of(NoDuration.class, "has timeout 'soon', which is no duration"),
                Arguments.of(NoTime.class, "has timeout '0s', which must be above zero"),
                Arguments.of(NoFactor.class, "factor '0.5' must be from 1 to 100"),
                Arguments.of(NoAttempts.class, "maxAttempts '-1' must be at least 1"),
                Arguments.of(NoQueue.class, "names no queue"),
                Arguments.of(TakesAnInterface.class, "takes a payload that nothing can be read as"),
                Arguments.of(TakesAThread.class, "takes a payload that nothing can be read as"),
                Arguments.of(AsyncMethod.class, "is @Async: its job would be completed before its work is done"),
                Arguments.of(AsyncClass.class, "is @Async: its job would be completed before its work is done"),
                Arguments.of(Suspends.class, "is a suspend function of Kotlin"),
                Arguments.of(
                        Reactive.class, "returns a 'java.util.concurrent.Flow$Publisher', to which nobody subscribes"),
                Arguments.of(Uncalled.class, "returns a 'java.util.concurrent.Callable', which nobody calls"),
                Arguments.of(Hidden.class, "cannot be called through the proxy of its bean"));
    }

    @ParameterizedTest
    @MethodSource("wrongHandlers")
    void failTheStartAndAreNamed(Class<?> bean, String problem) {
        analysis(application.withBean(bean), analysis -> {
            assertThat(analysis.getDescription())
                    .contains(bean.getSimpleName() + ".handle", "@JobHandler")
                    .contains(problem)
                    .doesNotEndWith("..");
            assertThat(analysis.getAction()).isNotBlank();
        });
    }

    @Test
    void sayHowAHiddenMethodBecomesCallable() {
        analysis(
                application.withBean(Hidden.class),
                analysis -> assertThat(analysis.getAction())
                        .startsWith("Make the method package-private, protected or public"));
    }

    static Stream<Arguments> actions() {
        return Stream.of(
                Arguments.of(NoTypeAnywhere.class, "annotate the class of its payload with @JobType"),
                Arguments.of(NoDuration.class, "Write timeout as 30s, 5m, 1h or PT1H."),
                Arguments.of(NoTime.class, "timeout = \"30s\""),
                Arguments.of(NoFactor.class, "backoffFactor"),
                Arguments.of(NoQueue.class, "'default'"),
                Arguments.of(
                        TakesAnInterface.class, "Shape', so that the JSON says which class it is (and @JsonSubTypes"),
                Arguments.of(TakesASealedType.class, "Add @JsonTypeInfo to"),
                Arguments.of(TakesAThread.class, "a class that Jackson can make"));
    }

    @ParameterizedTest
    @MethodSource("actions")
    void sayWhatToDoAboutIt(Class<?> bean, String action) {
        analysis(
                application.withBean(bean),
                analysis -> assertThat(analysis.getAction()).contains(action));
    }

    @Test
    void failTheStartWhenTwoTakeOneType() {
        analysis(application.withBean(First.class).withBean(Second.class), analysis -> {
            assertThat(analysis.getDescription()).contains("Two handlers", "'same'", "First.handle", "Second.handle");
            assertThat(analysis.getAction()).contains("'same'");
        });
    }

    @Test
    void failTheStartWhenTheyContradictTheQueueOfTheirPayload() {
        analysis(application.withBean(WrongQueue.class), analysis -> {
            assertThat(analysis.getDescription())
                    .contains("WrongQueue.handle", "'mails'", "'parcels'", "'parcel.send'", "@JobType");
            assertThat(analysis.getAction()).contains("Remove the queue from the handler of 'parcel.send'");
        });
    }

    @Test
    void failTheStartWhenADefinitionRepeatsAType() {
        analysis(
                application
                        .withBean(First.class)
                        .withBean(
                                HandlerDefinition.class,
                                () -> HandlerDefinition.of("same", Map.class, (payload, job) -> null)),
                analysis -> assertThat(analysis.getDescription()).contains("Two handlers", "'same'"));
    }

    @Test
    void failTheStartWhenADefinitionTakesWhatCannotBeRead() {
        analysis(
                application.withBean(
                        HandlerDefinition.class,
                        () -> HandlerDefinition.of("none", Runnable.class, (payload, job) -> null)),
                analysis -> assertThat(analysis.getDescription())
                        .contains("HandlerDefinition of type 'none'", "nothing can be read as"));
    }

    @Test
    void mayTakePayloadsThatAreNeverEmpty() {
        application.withBean(Picky.class).run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void mayHaveABackoffAboveTheUsualMaximum() {
        application
                .withBean(SlowBackoff.class)
                .run(context -> assertThat(context).hasNotFailed());
    }

    private static void analysis(ApplicationContextRunner failing, Consumer<FailureAnalysis> check) {
        failing.run(context -> {
            assertThat(context).hasFailed();
            FailureAnalysis analysis = new QueueFailureAnalyzer().analyze(context.getStartupFailure());
            assertThat(analysis)
                    .as("analysis of %s", context.getStartupFailure())
                    .isNotNull();
            check.accept(analysis);
        });
    }

    static class TwoPayloads {
        @JobHandler("wrong")
        void handle(String one, String other) {}
    }

    static class TwoContexts {
        @JobHandler("wrong")
        void handle(JobContext one, JobContext other) {}
    }

    static class AsyncMethod {
        @Async
        @JobHandler("same")
        public void handle() {}
    }

    @Async
    static class AsyncClass {
        @JobHandler("same")
        public void handle() {}
    }

    static class Suspends {
        @JobHandler("same")
        @Nullable
        Object handle(String payload, Continuation<Object> continuation) {
            return null;
        }
    }

    static class Reactive {
        @JobHandler("same")
        Flow.Publisher<String> handle() {
            return subscriber -> {};
        }
    }

    static class Uncalled {
        @JobHandler("same")
        Callable<String> handle() {
            return () -> "never";
        }
    }

    static class NoType {
        @JobHandler(" ")
        void handle(String payload) {}
    }

    record Untyped(int number) {}

    static class NoTypeAnywhere {
        @JobHandler
        void handle(Untyped payload) {}
    }

    static class NoDuration {
        @JobHandler(value = "wrong", timeout = "soon")
        void handle(String payload) {}
    }

    static class NoTime {
        @JobHandler(value = "wrong", timeout = "0s")
        void handle(String payload) {}
    }

    static class NoFactor {
        @JobHandler(value = "wrong", backoffFactor = 0.5)
        void handle(String payload) {}
    }

    static class NoAttempts {
        @JobHandler(value = "wrong", maxAttempts = -1)
        void handle(String payload) {}
    }

    static class NoQueue {
        @JobHandler(value = "wrong", queue = "")
        void handle(String payload) {}
    }

    static class Hidden {
        @JobHandler("wrong")
        @SuppressWarnings("UnusedMethod")
        private void handle() {}

        @Transactional
        void proxied() {}
    }

    static class First {
        @JobHandler("same")
        void handle(String payload) {}
    }

    static class Second {
        @JobHandler("same")
        void handle(Map<String, Object> payload) {}
    }

    @JobType(value = "parcel.send", queue = "parcels")
    record Parcel(int number) {}

    static class WrongQueue {
        @JobHandler(value = "parcel.send", queue = "mails")
        void handle(Parcel parcel) {}
    }

    static class SlowBackoff {
        @JobHandler(value = "slow", backoff = "2h")
        void handle(String payload) {}
    }

    interface Shape {}

    static class TakesAnInterface {
        @JobHandler("interface")
        void handle(Shape shape) {}
    }

    sealed interface Sealed {
        record Only(int number) implements Sealed {}
    }

    static class TakesASealedType {
        @JobHandler("sealed")
        void handle(Sealed payload) {}
    }

    static class NoWayIn {
        NoWayIn(int first, Thread second) {}
    }

    static class TakesAThread {
        @JobHandler("no way in")
        void handle(NoWayIn payload) {}
    }

    record Amount(int cents) {
        Amount {
            if (cents <= 0) {
                throw new IllegalArgumentException("cents");
            }
        }
    }

    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME)
    @JsonSubTypes(@JsonSubTypes.Type(value = Circle.class, name = "circle"))
    interface Known {}

    record Circle(int radius) implements Known {}

    static class Picky {
        @JobHandler("amount")
        void amount(Amount amount) {}

        @JobHandler("known")
        void known(Known known) {}

        @JobHandler("list")
        void list(List<Circle> circles) {}

        @JobHandler("text")
        void text(String text) {}

        @JobHandler("number")
        void number(long number) {}
    }
}
