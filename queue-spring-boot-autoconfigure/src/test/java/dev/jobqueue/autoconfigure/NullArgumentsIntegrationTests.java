package dev.jobqueue.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.jobqueue.InvalidJobException;
import dev.jobqueue.Job;
import dev.jobqueue.JobPublisher;
import dev.jobqueue.JobQueueException;
import dev.jobqueue.JobState;
import dev.jobqueue.operate.FlowFilter;
import dev.jobqueue.operate.JobAudit;
import dev.jobqueue.operate.JobCursor;
import dev.jobqueue.operate.JobFilter;
import dev.jobqueue.operate.JobLimits;
import dev.jobqueue.operate.JobOperations;
import dev.jobqueue.operate.MatchingJobs;
import dev.jobqueue.postgres.TestDatabase;
import dev.jobqueue.schedule.JobSchedules;
import dev.jobqueue.schedule.ScheduleDefinition;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every method of the API, with null where none belongs: it is refused, and nothing else is taken for it. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class NullArgumentsIntegrationTests {

    private static final Duration HOUR = Duration.ofHours(1);

    private static final Map<Class<?>, Object> VALUES = Map.ofEntries(
            Map.entry(boolean.class, false),
            Map.entry(int.class, 1),
            Map.entry(long.class, 1L),
            Map.entry(UUID.class, UUID.randomUUID()),
            Map.entry(String.class, "a"),
            Map.entry(Duration.class, Duration.ofMinutes(10)),
            Map.entry(Instant.class, Instant.EPOCH),
            Map.entry(JobFilter.class, JobFilter.of(JobState.SCHEDULED)),
            Map.entry(JobCursor.class, JobCursor.START),
            Map.entry(FlowFilter.class, FlowFilter.all()),
            Map.entry(Map.class, Map.of()),
            Map.entry(Object.class, Map.of()),
            Map.entry(Supplier.class, (Supplier<Object>) () -> 1));

    private final TestDatabase database = MigratedDatabase.create();
    private Node node;

    @BeforeAll
    void start() {
        node = Node.start(database, NullArgumentsIntegrationTests.class, "queue.worker.enabled=false");
        node.publisher().publish(Job.of("later", null).delay(HOUR));
        node.bean(JobSchedules.class).set(ScheduleDefinition.of("only", "later").every(HOUR));
    }

    @AfterAll
    void stop() {
        node.close();
    }

    private record Call(Class<?> api, Method method, int parameter) {

        @Override
        public String toString() {
            return "%s.%s, parameter %d".formatted(api.getSimpleName(), method.getName(), parameter);
        }
    }

    static Stream<Call> calls() {
        return Stream.of(
                        JobPublisher.class,
                        JobOperations.class,
                        MatchingJobs.class,
                        JobLimits.class,
                        JobSchedules.class,
                        JobAudit.class)
                .flatMap(api -> Arrays.stream(api.getMethods())
                        .flatMap(method -> IntStream.range(0, method.getParameterCount())
                                .filter(i -> !method.getParameterTypes()[i].isPrimitive()
                                        && !method.getAnnotatedParameterTypes()[i].isAnnotationPresent(Nullable.class))
                                .mapToObj(i -> new Call(api, method, i))));
    }

    @ParameterizedTest
    @MethodSource("calls")
    void areRefused(Call call) throws IllegalAccessException {
        Class<?>[] types = call.method().getParameterTypes();
        Object[] arguments = IntStream.range(0, types.length)
                .mapToObj(i -> i == call.parameter() ? null : VALUES.get(types[i]))
                .toArray();
        JobOperations operations = node.bean(JobOperations.class);
        Object target = call.api() == MatchingJobs.class
                ? operations.all(JobFilter.of(JobState.SCHEDULED))
                : call.api() == JobLimits.class ? operations.limits() : node.bean(call.api());
        try {
            Object answer = call.method().invoke(target, arguments);
            assertThat(answer).as("what %s returned", call).isEqualTo("an exception");
        } catch (InvocationTargetException ex) {
            assertThat(ex.getCause()).isInstanceOfAny(NullPointerException.class, JobQueueException.class);
            assertThat(ex.getCause().getMessage()).isNotNull().doesNotContain("Cannot invoke");
        }
        assertThat(new JobRows(database).count(JobState.SCHEDULED, "later")).isOne();
        assertThat(node.bean(JobSchedules.class).list()).hasSize(1);
    }

    @Test
    void areNoTypeOfAJobWithoutPayload() {
        assertThatExceptionOfType(InvalidJobException.class)
                .isThrownBy(() ->
                        node.publisher().publishAll(List.of(Job.of("x", null).type(null))))
                .withMessageStartingWith("type is null");
    }

    @Test
    void areNotMeantByATimeThatIsTooLong() {
        assertThatExceptionOfType(InvalidJobException.class)
                .isThrownBy(() -> node.bean(JobOperations.class).throughputByQueue(Duration.ofSeconds(Long.MAX_VALUE)))
                .withMessageStartingWith("span is '");
    }
}
