package dev.jobqueue.internal.extend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobqueue.Job;
import dev.jobqueue.JobContext;
import dev.jobqueue.JobQueueException;
import dev.jobqueue.spi.JobInterceptor;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class InterceptorsTests {

    private static final UUID ID = UUID.randomUUID();

    @SuppressWarnings("NullAway") // no interceptor of these tests looks at it
    private static final JobContext NO_CONTEXT = null;

    private final List<String> calls = new ArrayList<>();
    private final List<Job> published = new ArrayList<>();

    private static Interceptors all(JobInterceptor... interceptors) {
        return new Interceptors(() -> List.of(interceptors));
    }

    private List<UUID> publish(List<Job> jobs) {
        calls.add("publish");
        published.addAll(jobs);
        return jobs.stream().map(job -> ID).toList();
    }

    private @Nullable Object handle() {
        calls.add("handle");
        return "result";
    }

    @Test
    void goAroundPublishingFromTheFirstToTheLast() {
        List<UUID> ids =
                all(new Named("outer"), new Named("inner")).publish(List.of(Job.of("mail", null)), this::publish);

        assertThat(ids).containsExactly(ID);
        assertThat(calls).containsExactly("outer (", "inner (", "publish", ") inner", ") outer");
        assertThat(published.get(0).headers()).containsEntry("outer", "yes").containsEntry("inner", "yes");
    }

    @Test
    void goAroundHandlingFromTheFirstToTheLast() throws Exception {
        Object result = all(new Named("outer"), new Named("inner")).handle(NO_CONTEXT, this::handle);

        assertThat(result).isEqualTo("result, inner, outer");
        assertThat(calls).containsExactly("outer (", "inner (", "handle", ") inner", ") outer");
    }

    @Test
    void refuseAPublish() {
        Interceptors interceptors = all(new Named("outer"), new JobInterceptor() {
            @Override
            public List<UUID> publish(List<Job> jobs, Publication next) {
                throw new IllegalStateException("no tenant");
            }
        });

        assertThatThrownBy(() -> interceptors.publish(List.of(Job.of("mail", null)), this::publish))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("no tenant");
        assertThat(published).isEmpty();
    }

    @Test
    void failAnAttempt() {
        Interceptors interceptors = all(new JobInterceptor() {
            @Override
            public @Nullable Object handle(JobContext job, Attempt next) throws Exception {
                throw new IOException("no tenant");
            }
        });

        assertThatThrownBy(() -> interceptors.handle(NO_CONTEXT, this::handle)).isInstanceOf(IOException.class);
        assertThat(calls).isEmpty();
    }

    @Test
    void mayNotLeaveOutJobs() {
        List<Job> two = List.of(Job.of("mail", 1), Job.of("mail", 2));
        JobInterceptor fewer = new JobInterceptor() {
            @Override
            public List<UUID> publish(List<Job> jobs, Publication next) {
                return next.proceed(jobs.subList(0, 1));
            }
        };
        JobInterceptor none = new JobInterceptor() {
            @Override
            public List<UUID> publish(List<Job> jobs, Publication next) {
                return List.of();
            }
        };

        assertThatExceptionOfType(JobQueueException.class)
                .isThrownBy(() -> all(fewer).publish(two, this::publish))
                .withMessageContainingAll(fewer.getClass().getName(), "went on with 1 of 2 jobs");
        assertThatExceptionOfType(JobQueueException.class)
                .isThrownBy(() -> all(none).publish(two, this::publish))
                .withMessageContainingAll(none.getClass().getName(), "returned 0 ids for 2 jobs");
        assertThat(published).isEmpty();
    }

    @Test
    void areAskedForOnceAndNotBeforeTheyAreNeeded() throws Exception {
        Interceptors interceptors = new Interceptors(() -> {
            calls.add("asked");
            return List.of();
        });
        assertThat(calls).isEmpty();

        interceptors.publish(List.of(Job.of("mail", null)), this::publish);
        interceptors.handle(NO_CONTEXT, this::handle);
        assertThat(calls).containsExactly("asked", "publish", "handle");
    }

    private final class Named implements JobInterceptor {

        private final String name;

        Named(String name) {
            this.name = name;
        }

        @Override
        public List<UUID> publish(List<Job> jobs, Publication next) {
            calls.add(name + " (");
            List<UUID> ids = next.proceed(
                    jobs.stream().map(job -> job.header(name, "yes")).toList());
            calls.add(") " + name);
            return ids;
        }

        @Override
        public @Nullable Object handle(JobContext job, Attempt next) throws Exception {
            calls.add(name + " (");
            Object result = next.proceed();
            calls.add(") " + name);
            return result + ", " + name;
        }
    }
}
