package dev.jobqueue.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.FairShare;
import dev.jobqueue.Fifo;
import dev.jobqueue.HandlerDefinition;
import dev.jobqueue.JobHandler;
import dev.jobqueue.Limit;
import dev.jobqueue.LimitDefinition;
import dev.jobqueue.postgres.TestDatabase;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

@ExtendWith(OutputCaptureExtension.class)
class InvalidLimitsIntegrationTests {

    private static final ApplicationContextRunner application = QueueApplication.on(TestDatabase.create());

    static Stream<Arguments> wrongAnnotations() {
        return Stream.of(
                Arguments.of(
                        NoRate.class,
                        "has a wrong @Limit 'wrong'. rate is 'often': must be written as 100/s",
                        "Correct"),
                Arguments.of(NoPeriod.class, "period is 'PT0S': must be at least 1 ms", "Correct"),
                Arguments.of(NoStarts.class, "rate is '0': must be at least 1", "Correct"),
                Arguments.of(Negative.class, "running is '-1': must be at least 1", "Correct"),
                Arguments.of(LoneBurst.class, "burst is '3': belongs to a rate", "Correct"),
                Arguments.of(Neither.class, "@Limit 'crm' with neither running nor rate", "running = 2"),
                Arguments.of(NoHeader.class, "key is 'header:': must be a path in the payload", "Correct"),
                Arguments.of(SameName.class, "has two limits that are named 'wrong'", "another name"),
                Arguments.of(TwoOrders.class, "has two @Fifo, 'wrong' and 'other'", "Remove one"),
                Arguments.of(NoKey.class, "has a wrong @FairShare 'wrong'. key is ''", "Correct"),
                Arguments.of(NoWeight.class, "has @FairShare 'wrong' with weight 'big', which is none", "\"big=3\""),
                Arguments.of(NoShare.class, "weight of 'big' is '0': must be from 1 to 1000", "Correct"));
    }

    @ParameterizedTest
    @MethodSource("wrongAnnotations")
    void failTheStartAndNameHandlerValueAndFix(Class<?> bean, String problem, String action) {
        analysis(application.withBean(bean), analysis -> {
            assertThat(analysis.getDescription()).contains(bean.getSimpleName() + ".handle", problem);
            assertThat(analysis.getAction()).contains(action);
        });
    }

    @Test
    void failTheStartOnMethodsThatAreNoHandlers() {
        analysis(application.withBean(NoHandler.class), analysis -> {
            assertThat(analysis.getDescription()).contains("NoHandler.handle", "has a limit, but is no handler");
            assertThat(analysis.getAction()).contains("@JobHandler");
        });
    }

    @Test
    void failTheStartWhenTwoHandlersContradictEachOther() {
        analysis(application.withBean(One.class).withBean(Other.class), analysis -> {
            assertThat(analysis.getDescription())
                    .contains("'one' and 'other' give the limit 'crm' different values: limit, running 2, and limit,"
                            + " running 3");
            assertThat(analysis.getAction()).contains("the same values");
        });
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    queue.limits.crm.running         | 0       | must be at least 1
                    queue.limits.crm.running         | -2      | must be at least 1
                    queue.limits.crm.rate            | 100     | must be written as 100/s, 100/10s or 5000/1h
                    queue.limits.crm.rate            | 5/week  | must be written as 100/s, 100/10s or 5000/1h
                    queue.limits.crm.rate            | 0/s     | must be at least 1
                    queue.limits.crm.burst           | 0       | must be at least 1
                    queue.limits.crm.key             | header: | must be a path in the payload
                    queue.limits[a.b].running        | 0       | must be at least 1
                    """)
    void failTheStartWithPropertyValueAndRule(String property, String value, String rule) {
        String name = property.substring(0, property.lastIndexOf('.'));
        analysis(
                application.withPropertyValues(
                        property + "=" + value,
                        (property.endsWith("running") ? name + ".burst" : name + ".running") + "=1"),
                analysis -> {
                    assertThat(analysis.getDescription())
                            .contains("'" + property + "'", "'" + value + "'")
                            .contains(rule);
                    assertThat(analysis.getAction()).isNotBlank();
                });
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    key=account               | must be given, or a rate
                    running=2,burst=3         | belongs to a rate
                    kind=fifo,running=1001    | must be at most 1000 for FIFO
                    kind=fifo,at-limit=drop   | must be WAIT for FIFO
                    kind=fair,weights.big=0   | must be from 1 to 1000
                    """)
    void failTheStartWhenPropertiesMakeNoLimit(String properties, String rule) {
        String[] values = Stream.of(properties.split(","))
                .map("queue.limits.crm."::concat)
                .toArray(String[]::new);
        analysis(application.withPropertyValues(values), analysis -> {
            assertThat(analysis.getDescription()).contains("'queue.limits.crm'", rule);
            assertThat(analysis.getAction()).isNotBlank();
        });
    }

    @Test
    void failTheStartWhenTheDatabaseRefusesThem() {
        String name = "x".repeat(300);
        analysis(application.withPropertyValues("queue.limits." + name + ".running=1"), analysis -> {
            assertThat(analysis.getDescription()).contains("The limit '" + name + "' cannot be stored. name is 'xxx");
            assertThat(analysis.getAction()).contains("below queue.limits");
        });
    }

    @Test
    void failTheStartWhenATypeHasTwoOrders() {
        ApplicationContextRunner ordered =
                application.withBean(Ordered.class).withPropertyValues("queue.limits.second.kind=fifo");
        analysis(
                ordered.withPropertyValues("queue.limits.second.types=ordered"),
                analysis -> assertThat(analysis.getDescription())
                        .contains("The type 'ordered' has two FIFO limits, 'ordered' and 'second'"));
        analysis(
                ordered.withPropertyValues("queue.limits.second.queues=default"),
                analysis -> assertThat(analysis.getDescription())
                        .contains("The type 'ordered' in its queue 'default' has two FIFO limits"));
    }

    @Test
    void failTheStartWhenASeriesWouldMeetSeveralSlots() {
        HandlerDefinition many = HandlerDefinition.ofBundle("many", String.class, jobs -> {}, 100)
                .limit(LimitDefinition.ofFifo("series").running(5), null)
                .queue("in.order");
        ApplicationContextRunner bundles = application.withBean("many", HandlerDefinition.class, () -> many);
        analysis(bundles, analysis -> {
            assertThat(analysis.getDescription())
                    .contains("The FIFO limit 'series' lets 5 jobs of a key start together, but the handler of 'many'"
                            + " would get them side by side: its queue has 10 slots");
            assertThat(analysis.getAction()).contains("Set queue.queues[in.order].slots to 1");
        });
        bundles.withPropertyValues("queue.queues[in.order].slots=1")
                .run(context -> assertThat(context).hasNotFailed());
        bundles.withPropertyValues("queue.limits.series.running=1")
                .run(context -> assertThat(context).hasNotFailed());
        bundles.withPropertyValues("queue.worker.queues=default")
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void failTheStartWhenJobsInOrderWouldBeHandledSideBySide() {
        analysis(application.withBean(Ordered.class).withPropertyValues("queue.limits.ordered.running=5"), analysis -> {
            assertThat(analysis.getDescription())
                    .contains("The FIFO limit 'ordered' lets 5 jobs of a key start together, but the handler of"
                            + " 'ordered' handles each job on its own");
            assertThat(analysis.getAction()).contains("Leave 'running' out");
        });
    }

    @Test
    void areToldOfWhereANameIsMisspelt(CapturedOutput output) {
        application
                .withBean(One.class)
                .withPropertyValues("queue.limits.crn.running=3", "queue.limits.partner.running=3")
                .run(context -> assertThat(context).hasNotFailed());

        assertThat(output)
                .contains("'queue.limits.crn' defines a limit that no handler, type or queue has. Did you mean"
                        + " 'queue.limits.crm'?")
                .doesNotContain("'queue.limits.partner' defines");
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

    static class NoRate {
        @JobHandler("wrong")
        @Limit(rate = "often")
        void handle() {}
    }

    static class NoPeriod {
        @JobHandler("wrong")
        @Limit(rate = "5/0s")
        void handle() {}
    }

    static class NoStarts {
        @JobHandler("wrong")
        @Limit(rate = "0/s")
        void handle() {}
    }

    static class Negative {
        @JobHandler("wrong")
        @Limit(running = -1)
        void handle() {}
    }

    static class LoneBurst {
        @JobHandler("wrong")
        @Limit(running = 1, burst = 3)
        void handle() {}
    }

    static class Neither {
        @JobHandler("wrong")
        @Limit(name = "crm", key = "account")
        void handle() {}
    }

    static class NoHeader {
        @JobHandler("wrong")
        @Limit(key = "header:", running = 1)
        void handle() {}
    }

    static class SameName {
        @JobHandler("wrong")
        @Limit(running = 1)
        @Fifo
        void handle() {}
    }

    @Target(ElementType.METHOD)
    @Retention(RetentionPolicy.RUNTIME)
    @Fifo(name = "other")
    @interface InOrder {}

    static class TwoOrders {
        @JobHandler("wrong")
        @Fifo
        @InOrder
        void handle() {}
    }

    static class NoKey {
        @JobHandler("wrong")
        @FairShare(key = "")
        void handle() {}
    }

    static class NoWeight {
        @JobHandler("wrong")
        @FairShare(key = "tenant", weights = "big")
        void handle() {}
    }

    static class NoShare {
        @JobHandler("wrong")
        @FairShare(key = "tenant", weights = "big=0")
        void handle() {}
    }

    static class NoHandler {
        @Limit(running = 1)
        void handle() {}
    }

    static class One {
        @JobHandler("one")
        @Limit(name = "crm", running = 2)
        void handle() {}
    }

    static class Other {
        @JobHandler("other")
        @Limit(name = "crm", running = 3)
        void handle() {}
    }

    static class Ordered {
        @JobHandler("ordered")
        @Fifo
        void handle() {}
    }
}
