package dev.jobqueue.autoconfigure;

import static dev.jobqueue.autoconfigure.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.HandlerDefinition;
import dev.jobqueue.Job;
import dev.jobqueue.JobContext;
import dev.jobqueue.JobHandler;
import dev.jobqueue.JobState;
import dev.jobqueue.postgres.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import org.aopalliance.intercept.MethodInterceptor;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.aop.framework.autoproxy.BeanNameAutoProxyCreator;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Scope;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import tools.jackson.databind.JsonNode;

class HandlerShapesIntegrationTests {

    private static final TestDatabase database = TestDatabase.create();
    private static final JobRows rows = new JobRows(database);
    private static Node node;

    @BeforeAll
    static void start() {
        node = Node.start(database, Beans.class);
    }

    @AfterAll
    static void stop() {
        node.close();
    }

    private static String handled(String type, @Nullable Object payload) {
        return rows.result(node.publisher().publish(type, payload));
    }

    @Nested
    class ThePayload {

        @ParameterizedTest
        @CsvSource({
            "shape.record, Ada 36",
            "shape.class, Ada 36",
            "shape.map, Ada 36",
            "shape.json, Ada 36",
            "shape.generic, [Ada 36]",
            "shape.payload-first, Ada 36 attempt 1",
            "shape.context-first, Ada 36 attempt 1",
            "shape.context, attempt 1",
            "shape.none, nothing"
        })
        void isReadAsTheParameterSays(String type, String expected) {
            Object payload = type.equals("shape.generic") ? List.of(new Person("Ada", 36)) : new Person("Ada", 36);
            assertThat(handled(type, payload)).isEqualTo('"' + expected + '"');
        }

        @Test
        void isTheTextOfAJsonString() {
            assertThat(handled("shape.string", "say \"hi\"")).isEqualTo("\"got say \\\"hi\\\"\"");
        }

        @Test
        void isOtherJsonAsItIs() {
            assertThat(handled("shape.string", List.of(1, 2))).isEqualTo("\"got [1,2]\"");
            assertThat(handled("shape.string", null)).isEqualTo("\"got {}\"");
        }

        @Test
        void mayBeANumber() {
            assertThat(handled("shape.number", 41)).isEqualTo("42");
        }
    }

    @Nested
    class TheResult {

        @Test
        void isKept() {
            assertThat(handled("result.record", null)).isEqualTo("{\"age\": 36, \"name\": \"Ada\"}");
        }

        @Test
        void isNoneForVoidAndNull() {
            assertThat(handled("result.void", null)).isEqualTo("none");
            assertThat(handled("result.null", null)).isEqualTo("none");
        }

        @ParameterizedTest
        @CsvSource({"future.completable", "future.stage", "future.plain", "future.transactional"})
        void isThatOfTheFutureItReturns(String type) {
            assertThat(handled(type, "done")).isEqualTo("\"done\"");
        }

        @ParameterizedTest
        @CsvSource({"future.completable", "future.stage", "future.plain", "future.transactional"})
        void isTheFailureOfTheFutureItReturns(String type) {
            UUID id = node.publisher().publish(Job.of(type, "fail").maxAttempts(1));
            rows.await(JobState.DEAD, id);
            assertThat(rows.errors(id))
                    .singleElement()
                    .asString()
                    .startsWith("java.lang.IllegalArgumentException: no such invoice");
        }

        @Test
        void isCancelledWithTheFutureWhenItTakesTooLong() {
            UUID id = node.publisher()
                    .publish(Job.of("future.never", null)
                            .timeout(Duration.ofMillis(200))
                            .maxAttempts(1));
            rows.await(JobState.DEAD, id);
            assertThat(rows.errors(id)).singleElement().asString().contains("timed out");
            await().untilAsserted(() -> assertThat(Futures.never).isCancelled());
        }

        @Test
        void isRefusedWhenNobodySubscribesToIt() {
            UUID id = node.publisher().publish("future.reactive", null);
            rows.await(JobState.DEAD, id);
            assertThat(rows.errors(id)).singleElement().asString().contains("to which nobody subscribes");
        }

        @Test
        void makesTheJobDieWhenItCannotBeStored() {
            UUID id = node.publisher().publish(Job.of("result.nul", null).maxAttempts(1));
            rows.await(JobState.DEAD, id);
            assertThat(rows.errors(id)).singleElement().asString().contains("result");
            assertThat(handled("result.void", null)).as("the others go on").isEqualTo("none");
        }
    }

    @Nested
    class TheBean {

        @ParameterizedTest
        @CsvSource({
            "bean.superclass, superclass x",
            "bean.interface, interface x",
            "bean.default, default x",
            "bean.generic, generic Ada",
            "bean.private, private x",
            "bean.static, static x",
            "bean.jdk-proxy, advised jdk x",
            "bean.definition, definition x",
            "bean.definition.none, definition bean.definition.none",
        })
        void mayBeOfAnyKind(String type, String expected) {
            Object payload = type.equals("bean.generic") ? new Person("Ada", 36) : "x";
            assertThat(handled(type, payload)).isEqualTo('"' + expected + '"');
        }

        @Test
        void isCalledThroughItsProxy() {
            assertThat(handled("bean.transactional", "x")).isEqualTo("\"in a transaction: true, field set: true\"");
        }

        @Test
        void staysLazyUntilItsFirstJob() {
            assertThat(LazyBean.created).hasValue(0);
            assertThat(handled("bean.lazy", "x")).isEqualTo("\"lazy x\"");
            assertThat(handled("bean.lazy", "y")).isEqualTo("\"lazy y\"");
            assertThat(LazyBean.created).hasValue(1);
        }

        @Test
        void isMadeForEachJobWhenItIsAPrototype() {
            assertThat(handled("bean.prototype", null)).isEqualTo("1");
            assertThat(handled("bean.prototype", null)).isEqualTo("1");
        }
    }

    record Person(String name, int age) {}

    static class Mutable {
        public @Nullable String name;
        public int age;
    }

    static class Shapes {

        @JobHandler("shape.record")
        String take(Person person) {
            return person.name() + " " + person.age();
        }

        @JobHandler("shape.class")
        String take(Mutable person) {
            return person.name + " " + person.age;
        }

        @JobHandler("shape.map")
        String take(Map<String, Object> person) {
            return person.get("name") + " " + person.get("age");
        }

        @JobHandler("shape.json")
        String take(JsonNode person) {
            return person.get("name").asString() + " " + person.get("age").asInt();
        }

        @JobHandler("shape.generic")
        String take(List<Person> people) {
            return people.stream().map(this::take).toList().toString();
        }

        @JobHandler("shape.string")
        String take(String text) {
            return "got " + text;
        }

        @JobHandler("shape.number")
        long take(long number) {
            return number + 1;
        }

        @JobHandler("shape.payload-first")
        String take(Person person, JobContext job) {
            return take(person) + " attempt " + job.attempt();
        }

        @JobHandler("shape.context-first")
        String take(JobContext job, Person person) {
            return take(person, job);
        }

        @JobHandler("shape.context")
        String take(JobContext job) {
            return "attempt " + job.attempt();
        }

        @JobHandler("shape.none")
        String take() {
            return "nothing";
        }

        @JobHandler("result.record")
        Person person() {
            return new Person("Ada", 36);
        }

        @JobHandler("result.void")
        void nothing() {}

        @JobHandler("result.null")
        @Nullable
        String none() {
            return null;
        }

        @JobHandler("result.nul")
        String unstorable() {
            return "a\0b";
        }
    }

    static class Futures {

        static final CompletableFuture<String> never = new CompletableFuture<>();

        private static String work(String what) {
            if (what.equals("fail")) {
                throw new IllegalArgumentException("no such invoice");
            }
            return what;
        }

        @JobHandler("future.completable")
        CompletableFuture<String> completable(String what) {
            return CompletableFuture.supplyAsync(() -> work(what));
        }

        @JobHandler("future.stage")
        CompletionStage<String> stage(String what) {
            return completable(what).minimalCompletionStage();
        }

        @JobHandler("future.plain")
        Future<String> plain(String what) {
            FutureTask<String> task = new FutureTask<>(() -> work(what));
            new Thread(task).start();
            return task;
        }

        @JobHandler(value = "future.transactional", transactional = true)
        CompletableFuture<String> transactional(String what) {
            return completable(what);
        }

        @JobHandler("future.never")
        CompletableFuture<String> never() {
            return never;
        }
    }

    abstract static class Superclass {
        @JobHandler("bean.superclass")
        String take(String text) {
            return "superclass " + text;
        }
    }

    interface Contract {
        @JobHandler("bean.interface")
        String handle(String text);

        @JobHandler("bean.default")
        default String other(String text) {
            return "default " + text;
        }
    }

    interface GenericContract<T> {
        @JobHandler("bean.generic")
        String generic(T payload);
    }

    static class Inherits extends Superclass implements Contract, GenericContract<Person> {
        @Override
        public String handle(String text) {
            return "interface " + text;
        }

        @Override
        public String generic(Person person) {
            return "generic " + person.name();
        }

        @JobHandler("bean.private")
        @SuppressWarnings("UnusedMethod")
        private String hidden(String text) {
            return "private " + text;
        }

        @JobHandler("bean.static")
        static String shared(String text) {
            return "static " + text;
        }
    }

    static class TransactionalBean {

        private final String field = "set";

        @JobHandler("bean.transactional")
        @Transactional
        String take(String text) {
            return "in a transaction: " + TransactionSynchronizationManager.isActualTransactionActive()
                    + ", field set: " + field.equals("set");
        }
    }

    interface Proxied {
        String take(String text);
    }

    static class ProxyTarget implements Proxied {
        @Override
        @JobHandler("bean.jdk-proxy")
        public String take(String text) {
            return "jdk " + text;
        }
    }

    static class LazyBean {

        static final AtomicInteger created = new AtomicInteger();

        LazyBean() {
            created.incrementAndGet();
        }

        @JobHandler("bean.lazy")
        String take(String text) {
            return "lazy " + text;
        }
    }

    static class Prototype {

        private int calls;

        @JobHandler("bean.prototype")
        int count() {
            return ++calls;
        }
    }

    @Configuration(proxyBeanMethods = false)
    @Import({Shapes.class, Futures.class, Inherits.class, TransactionalBean.class})
    static class Beans {

        @Bean
        Proxied proxied() {
            return new ProxyTarget();
        }

        @Bean
        MethodInterceptor advice() {
            return invocation -> "advised " + invocation.proceed();
        }

        @Bean
        static BeanNameAutoProxyCreator proxies() {
            BeanNameAutoProxyCreator creator = new BeanNameAutoProxyCreator();
            creator.setBeanNames("proxied");
            creator.setInterceptorNames("advice");
            return creator;
        }

        @Bean
        @Lazy
        LazyBean lazyBean() {
            return new LazyBean();
        }

        @Bean
        @Scope(ConfigurableBeanFactory.SCOPE_PROTOTYPE)
        Prototype prototype() {
            return new Prototype();
        }

        @Bean
        HandlerDefinition definition() {
            return HandlerDefinition.of("bean.definition", String.class, (text, job) -> "definition " + text);
        }

        @Bean
        HandlerDefinition reactiveDefinition() {
            return HandlerDefinition.of(
                    "future.reactive", Void.class, (none, job) -> (Flow.Publisher<String>) subscriber -> {});
        }

        @Bean
        HandlerDefinition definitionWithoutPayload() {
            return HandlerDefinition.of("bean.definition.none", Void.class, (none, job) -> "definition " + job.type());
        }
    }
}
