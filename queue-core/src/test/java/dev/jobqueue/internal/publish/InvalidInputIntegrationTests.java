package dev.jobqueue.internal.publish;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.jobqueue.InvalidJobException;
import dev.jobqueue.internal.QueueFixture;
import dev.jobqueue.internal.settle.JobLease;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Each refusal names argument, value and rule, and leaves every table as it was. */
class InvalidInputIntegrationTests {

    private static final QueueFixture queue = new QueueFixture();

    private static final String NAME_RULE =
            "must have 1 to 200 characters, none of them a control character, no blank at either end";

    /** A job that runs, so that a call which wrongly went through would change it; {@code #job} stands for it. */
    private static JobLease running = new JobLease(new UUID(0, 0), 0);

    @BeforeAll
    static void setUp() {
        running = queue.claimNew();
        queue.publishDead("oops");
        queue.publish("run_at => now() + interval '1 hour'");
        queue.operations.configure(null, 1_000, null, null);
    }

    private static void refuses(String call, String message) {
        String filled = call.replace("#job", "'%s', %d".formatted(running.id(), running.number()));
        queue.refuses(InvalidJobException.class, () -> queue.call(filled))
                .hasMessageStartingWith(message)
                .hasMessageEndingWith("and call again; nothing was written.");
    }

    @Nested
    class ANameOf {

        static Stream<Arguments> calls() {
            return Stream.of(
                    arguments("type", "publish(%s, '{}')"),
                    arguments("type", "publish(%s, jsonb '{}')"),
                    arguments("type", "publish_many(NULL, ARRAY[%s], '{1}')"),
                    arguments("type", "publish_many(jsonb_build_array(jsonb_build_object('payload', 1, 'type', %s)))"),
                    arguments("type", "publish_many(ARRAY[gen_random_uuid()], ARRAY[%s], '{1}', given_ids => false)"),
                    arguments("type", "set_retry_policy(%s)"),
                    arguments("queue", "publish('mail', '{}', %s)"),
                    arguments("queue", "publish('mail', jsonb '{}', %s)"),
                    arguments("queue", "publish_many(NULL, '{mail}', '{1}', queues => ARRAY[%s])"),
                    arguments(
                            "queue",
                            "publish_many(jsonb_build_array(jsonb_build_object("
                                    + "'type', 'mail', 'payload', 1, 'queue', %s)))"),
                    arguments("queue", "pause(%s)"),
                    arguments("queue", "resume(%s)"),
                    arguments("name", "configure_queue(%s)"),
                    arguments("step", "save_step(#job, %s, '1')"));
        }

        @ParameterizedTest
        @MethodSource("calls")
        void noCharacterAtAllIsRefused(String argument, String call) {
            refuses(call.formatted("text ''"), argument + " is '': " + NAME_RULE);
        }

        @ParameterizedTest
        @MethodSource("calls")
        void moreThan200CharactersIsRefused(String argument, String call) {
            refuses(
                    call.formatted("repeat('n', 201)"),
                    "%s is '%s': %s".formatted(argument, "n".repeat(100), NAME_RULE));
        }

        @ParameterizedTest
        @MethodSource("calls")
        void controlCharactersOrBlanksAtTheEndsIsRefused(String argument, String call) {
            refuses(call.formatted("text ' a'"), argument + " is ' a': " + NAME_RULE);
            refuses(call.formatted("text 'a '"), argument + " is 'a ': " + NAME_RULE);
            refuses(call.formatted("E'a\\nb'"), argument + " is 'a\nb': " + NAME_RULE);
            refuses(call.formatted("E'a\\u0007'"), argument + " is 'a\u0007': " + NAME_RULE);
        }

        static Stream<String> callsThatNeedAName() {
            return calls().map(call -> (String) call.get()[1]).filter(call -> !call.contains("mail"));
        }

        @ParameterizedTest
        @MethodSource("callsThatNeedAName")
        void nullIsRefused(String call) {
            String argument = call.startsWith("save")
                    ? "step"
                    : call.contains("pause") || call.contains("resume")
                            ? "queue"
                            : call.startsWith("configure") ? "name" : "type";
            refuses(call.formatted("NULL::text"), argument + " is null: " + NAME_RULE);
        }

        @Test
        void exactly200CharactersIsFine() {
            String longest = "\u2603".repeat(200);
            UUID id = queue.one(UUID.class, "SELECT queue.publish('%1$s', '{}', '%1$s')".formatted(longest));

            assertThat(queue.one(
                            Long.class,
                            "SELECT count(*) FROM queue.live_job WHERE queue = ? AND type = ?",
                            longest,
                            longest))
                    .isEqualTo(1);
            queue.operations.cancel(id);
        }
    }

    @Nested
    class APayload {

        static Stream<Arguments> bad() {
            return Stream.of(
                    arguments("NULL", "payload is null: must not be null nor longer than 1000 bytes"),
                    arguments("NULL::jsonb", "payload is null: must not be null nor longer than 1000 bytes"),
                    arguments("'oops'", "payload is '4 characters': must be JSON that PostgreSQL can store"),
                    arguments("''", "payload is '0 characters': must be JSON that PostgreSQL can store"),
                    arguments("'{\"a\": '", "payload is '6 characters': must be JSON that PostgreSQL can store"),
                    arguments("'{\"a\": \"\\u0000\"}'", "payload is '15 characters': must be JSON"),
                    arguments("'\"\\ud800\"'", "payload is '8 characters': must be JSON"),
                    arguments(
                            "to_jsonb(repeat('x', 1000))",
                            "payload is '1002 bytes': must not be null nor longer than 1000 bytes"),
                    arguments(
                            "repeat(' ', 1000) || '1'",
                            "payload is '1001 bytes': must not be null nor longer than 1000 bytes"));
        }

        @ParameterizedTest
        @MethodSource("bad")
        void thatIsBadIsRefused(String payload, String message) {
            refuses("publish('mail', %s)".formatted(payload), message);
            refuses(
                    "publish_many(NULL, '{mail, mail}', ARRAY['1', (%s)::text])".formatted(payload),
                    message.replace("payload is", "payload of job 2 is"));
        }

        @ParameterizedTest
        @MethodSource("bad")
        void thatIsBadIsRefusedWithANewIdToo(String payload, String message) {
            refuses(
                    "publish_many(ARRAY[gen_random_uuid()], '{mail}', ARRAY[(%s)::text], given_ids => false)"
                            .formatted(payload),
                    message);
            refuses(
                    "publish_many(ARRAY[gen_random_uuid(), gen_random_uuid()], '{mail, mail}', ARRAY['1', (%s)::text],"
                                    .formatted(payload)
                            + " given_ids => false)",
                    message.replace("payload is", "payload of job 2 is"));
        }

        /** To find out would take as long as all the rest. */
        @Test
        void thatHasANumberTooLargeForPostgresIsPublishedAndShown() {
            UUID id = queue.one(UUID.class, "SELECT queue.publish('mail', '1e999999')");

            assertThat(queue.claim().payload()).isEqualTo("1e999999");
            assertThat(queue.one(String.class, "SELECT payload #>> '{}' FROM queue.find_job(?)", id))
                    .isEqualTo("1e999999");
        }

        @Test
        void thatHasAnEscapedBackslashIsFine() {
            queue.call("publish('mail', '\"\\\\u0000\"')");

            assertThat(queue.claim().payload()).isEqualTo("\"\\\\u0000\"");
        }

        @Test
        void thatIsNestedTooDeepIsRefused() {
            queue.operations.configure(null, 1_000_000, null, null);
            try {
                refuses(
                        "publish('mail', repeat('[', 100000) || repeat(']', 100000))",
                        "payload is '200000 characters': must be JSON");
            } finally {
                queue.operations.configure(null, 1_000, null, null);
            }
        }

        @Test
        void ofJavaIsRefusedInTheSameWords() {
            List<NewJob> jobs = Stream.of("{}", "{}", "{\"a\": \"\\u0000\"}")
                    .map(payload -> NewJobs.of(UUID.randomUUID(), "mail", payload))
                    .toList();

            queue.refuses(InvalidJobException.class, () -> queue.publications.publish(jobs, true))
                    .hasMessageStartingWith("payload of job 3 is ");
        }
    }

    @Nested
    class AnArgumentOf {

        static Stream<Arguments> publish() {
            String one = "publish('mail', '{}', ";
            String many = "publish_many(NULL, '{mail}', '{1}', ";
            return Stream.of(
                    arguments(one + "max_attempts => 0)", "max_attempts is '0': must be at least 1"),
                    arguments(one + "max_attempts => -1)", "max_attempts is '-1': must be at least 1"),
                    arguments(one + "run_at => 'infinity')", "run_at is 'infinity': must be finite"),
                    arguments(one + "run_at => '-infinity')", "run_at is '-infinity': must be finite"),
                    arguments(one + "timeout => '0')", "timeout is '00:00:00': must be more than 0"),
                    arguments(one + "timeout => '-1 second')", "timeout is '-00:00:01': must be more than 0"),
                    arguments(
                            one + "timeout => '11 years')",
                            "timeout is '11 years': must be more than 0 and at most 10"),
                    arguments(one + "unique_key => '')", "unique_key is '': must have 1 to 500 characters"),
                    arguments(one + "unique_key => repeat('k', 501))", "unique_key is 'kkk"),
                    arguments(one + "unique_key => repeat(U&'\\+01F600', 500))", "unique_key is '\uD83D\uDE00"),
                    arguments(one + "headers => '[1]')", "headers is '[1]': must be a JSON object"),
                    arguments(one + "headers => '\"h\"')", "headers is '\"h\"': must be a JSON object"),
                    arguments(many + "max_attempts => '{0}')", "max_attempts is '0': must be at least 1"),
                    arguments(many + "run_ats => '{infinity}')", "run_at is 'infinity': must be finite"),
                    arguments(many + "delays_ms => '{-1}')", "delay is '-1 ms': must be at least 0"),
                    arguments(
                            many + "delays_ms => '{9223372036854775807}')", "delay is '9223372036854775807 ms': must"),
                    arguments(many + "delays_ms => '{1}', run_ats => '{now}')", "delay is '1 ms': must"),
                    arguments(many + "timeouts_ms => '{0}')", "timeout is '0 ms': must be more than 0"),
                    arguments(
                            one + "headers => jsonb_build_object('h', repeat('x', 1000)))",
                            "headers is '1009 bytes': must not be longer than 1000 bytes"),
                    arguments(
                            "publish_many(ARRAY[gen_random_uuid()], '{mail}', '{1}', given_ids => false,"
                                    + " headers => ARRAY[jsonb_build_object('h', repeat('x', 1000))::text])",
                            "headers is '1009 bytes': must not be longer than 1000 bytes"),
                    arguments(many + "headers => '{oops}')", "headers is '4 characters': must be JSON"),
                    arguments(many + "headers => ARRAY['[]'])", "headers is '[]': must be a JSON object"),
                    arguments(
                            many + "queues => '{a, b}')",
                            "queues is '2 elements': must have as many elements as types"),
                    arguments(many + "priorities => '{}')", "priorities is '0 elements': must have as many"),
                    arguments("publish_many(NULL, '{mail}', NULL)", "payloads is '0 elements': must have as many"),
                    arguments(
                            "publish_many(ARRAY[gen_random_uuid()], '{a, b}', '{1, 1}', given_ids => false)",
                            "ids is '1 elements': must have as many"),
                    arguments(
                            "publish_many(ARRAY[gen_random_uuid()], '{mail}', '{1}', headers => '{[]}',"
                                    + " given_ids => false)",
                            "headers is '[]': must be a JSON object"),
                    arguments("publish_many(NULL, NULL, '{1}')", "payloads is '1 elements': must have as many"),
                    arguments(one + "delay => '-1 s')", "delay is '-00:00:01': must be at least 0"),
                    arguments(one + "delay => '1 s', run_at => now())", "delay is '1000 ms': must be at least 0"),
                    arguments("publish_many('{NULL}', '{a, b}', '{1, 1}')", "ids is '1 elements': must have as many"));
        }

        static Stream<Arguments> uniqueKeys() {
            String one = "publish('mail', '{}', ";
            String keyed = one + "unique_key => 'k', ";
            String many = "publish_with_outcome(NULL, '{mail, mail}', '{1, 1}', unique_keys => '{k, l}', ";
            return Stream.of(
                    arguments(keyed + "unique_for => '0')", "unique_for is '00:00:00': must be more than 0"),
                    arguments(keyed + "unique_for => '-1 s')", "unique_for is '-00:00:01': must be more than 0"),
                    arguments(keyed + "unique_for => '11 years')", "unique_for is '11 years': must be more than 0 and"),
                    arguments(
                            one + "unique_for => '1 hour')",
                            "unique_for is '3600000 ms': must be given together with a unique_key"),
                    arguments(
                            one + "on_conflict => 'KEEP')",
                            "on_conflict is 'KEEP': must be given together with a unique_key"),
                    arguments(
                            keyed + "on_conflict => 'replace')",
                            "on_conflict is 'replace': must be KEEP, REPLACE, POSTPONE or FAIL"),
                    arguments(keyed + "on_conflict => '')", "on_conflict is '': must be KEEP"),
                    arguments(
                            keyed + "max_delay => '1 s')",
                            "max_delay is '1000 ms': must be given together with a unique_key and on_conflict REPLACE"),
                    arguments(
                            one + "max_delay => '1 s', on_conflict => 'REPLACE')",
                            "on_conflict is 'REPLACE': must be given together with a unique_key"),
                    arguments(
                            keyed + "max_delay => '0', on_conflict => 'REPLACE')",
                            "max_delay is '00:00:00': must be more than 0"),
                    arguments(
                            keyed + "max_delay => '1 s', delay => '2 s', on_conflict => 'REPLACE')",
                            "max_delay is '1000 ms': must not be less than delay (2000 ms)"),
                    arguments(
                            keyed + "max_delay => '1 s', unique_for => '2 s', on_conflict => 'REPLACE')",
                            "max_delay is '1000 ms': must not be given together with unique_for"),
                    arguments(
                            one + "unique_key => repeat('k', 1000000), on_conflict => 'REPLACE')",
                            "unique_key is '%s': must have 1 to 500 characters".formatted("k".repeat(100))),
                    arguments(
                            one + "unique_key => '', on_conflict => 'FAIL')",
                            "unique_key is '': must have 1 to 500 characters"),
                    arguments(
                            many + "unique_for_ms => '{1, 315360000001}')",
                            "unique_for of job 2 is '315360000001 ms': must be more than 0 and at most 10 years"),
                    arguments(many + "unique_for_ms => '{1}')", "unique_for_ms is '1 elements': must have as many"),
                    arguments(many + "on_conflicts => '{KEEP}')", "on_conflicts is '1 elements': must have as many"),
                    arguments(many + "max_delays_ms => '{}')", "max_delays_ms is '0 elements': must have as many"),
                    arguments(
                            many + "on_conflicts => '{REPLACE, REPLACE}', max_delays_ms => '{1, -1}')",
                            "max_delay of job 2 is '-1 ms': must be more than 0"),
                    arguments(
                            "publish_with_outcome('[{\"type\": \"mail\", \"payload\": 1, \"on_conflict\": \"FAIL\"}]')",
                            "on_conflict is 'FAIL': must be given together with a unique_key"),
                    arguments(
                            "publish_with_outcome('[{\"type\": \"mail\", \"payload\": 1, \"uniqueFor\": \"1 s\"}]')",
                            "jobs[1] is 'uniqueFor': must be an object with no other keys than type"));
        }

        static Stream<Arguments> publishManyAsJson() {
            return Stream.of(
                    arguments("publish_many(NULL::jsonb)", "jobs is null: must be a JSON array of objects"),
                    arguments("publish_many(jsonb '{}')", "jobs is 'object': must be a JSON array of objects"),
                    arguments("publish_many(jsonb '[1]')", "jobs[1] is 'number': must be an object"),
                    arguments(
                            "publish_many('[{\"type\": \"mail\", \"payload\": 1}, {\"typ\": \"mail\"}]'::jsonb)",
                            "jobs[2] is 'typ': must be an object with no other keys than type"),
                    arguments(
                            "publish_many(jsonb '[{\"type\": \"mail\", \"payload\": 1, \"priority\": \"high\"}]')",
                            "jobs is '1 jobs': must hold values of the right type"),
                    arguments("publish_many(jsonb '[{\"type\": \"mail\"}]')", "payload is null: must not be null"),
                    arguments(
                            "publish_many(jsonb '[{\"type\": \"mail\", \"payload\": 1, \"run_at\": \"infinity\"}]')",
                            "run_at is 'infinity': must be finite"),
                    arguments(
                            "publish_many(jsonb '[{\"type\": \"mail\", \"payload\": 1, \"delay\": \"-1 hour\"}]')",
                            "delay is '-01:00:00': must be at least 0"));
        }

        static Stream<Arguments> aWorker() {
            return Stream.of(
                    arguments("claim(NULL)", "worker_id is null: must not be null"),
                    arguments("claim(gen_random_uuid(), '{a}', '{-1}')", "limits is '{-1}': must be 0 or more"),
                    arguments("claim(gen_random_uuid(), '{a}', '{NULL}')", "limits is '{NULL}': must be 0 or more"),
                    arguments("claim(gen_random_uuid(), NULL, NULL)", "limits is null: must have as many elements"),
                    arguments("claim(gen_random_uuid(), ARRAY[''], '{1}')", "queues is '': must have 1 to 200"),
                    arguments("claim(gen_random_uuid(), '{NULL}', '{1}')", "queues is null: must have 1 to 200"),
                    arguments(
                            "claim(gen_random_uuid(), '{a, b}', '{1}')", "limits is '{1}': must have as many elements"),
                    arguments(
                            "claim(gen_random_uuid(), '{a, a}', '{1, 1}')",
                            "queues is '{a,a}': must name each queue once"),
                    arguments(
                            "complete_many('{}', '{1}')", "leases is '1 elements': must have as many elements as ids"),
                    arguments("complete_many('{}', '{}', '{1}')", "results is '1 elements': must have as many"),
                    arguments(completeRunning("oops"), "result is '4 characters': must be JSON"),
                    arguments(completeRunning("\"\\u0000\""), "result is '8 characters': must be JSON"),
                    arguments("fail_many('{}', '{1}', '{}')", "leases is '1 elements': must have as many"),
                    arguments("fail_many('{}', '{}', '{x}')", "errors is '1 elements': must have as many"),
                    arguments("fail_many('{}', '{}', '{}', '{true}')", "retries is '1 elements': must have as many"),
                    arguments("release('{}', '{1}')", "leases is '1 elements': must have as many"),
                    arguments("release('{}', '{}', '{true}')", "begun is '1 elements': must have as many"),
                    arguments("release(NULL, '{1}')", "leases is '1 elements': must have as many"),
                    arguments("prune(0)", "max is '0': must be at least 1"),
                    arguments("heartbeat(NULL)", "worker_id is null: must not be null"),
                    arguments("heartbeat(gen_random_uuid(), ids => '{}', leases => '{1}')", "leases is '1 elements'"),
                    arguments("progress(#job, -1)", "percent is '-1': must be between 0 and 100"),
                    arguments("progress(#job, 101)", "percent is '101': must be between 0 and 100"),
                    arguments("progress(#job, NULL)", "percent is null: must be between 0 and 100"),
                    arguments("progress(#job, 1, repeat('s', 201))", "stage is 'sss"),
                    arguments("log(#job, 'LOUD', 'x')", "level is 'LOUD': must be TRACE, DEBUG, INFO, WARN or ERROR"),
                    arguments("log(#job, NULL, 'x')", "level is null: must be TRACE"),
                    arguments("log(#job, 'INFO', NULL)", "message is null: must not be null"),
                    arguments("extend(#job, '0')", "timeout is '00:00:00': must be more than 0"),
                    arguments("extend(#job, '-1 day')", "timeout is '-1 days': must be more than 0"),
                    arguments("extend(#job, NULL)", "timeout is null: must not be null"),
                    arguments("snooze(#job, '-1 day')", "delay is '-1 days': must be at least 0"),
                    arguments("snooze(#job, '11 years')", "delay is '11 years': must be at least 0 and at most 10"),
                    arguments("snooze(#job, NULL)", "delay is null: must not be null"));
        }

        private static String completeRunning(String result) {
            String first = "(SELECT %s FROM queue.live_job WHERE state = 'RUNNING' ORDER BY id LIMIT 1)";
            return "complete_many(ARRAY[%s], ARRAY[%s], ARRAY['%s'])"
                    .formatted(first.formatted("id"), first.formatted("lease"), result);
        }

        static Stream<Arguments> upkeepAndSettings() {
            return Stream.of(
                    arguments("promote(0)", "max is '0': must be at least 1"),
                    arguments("promote(-5)", "max is '-5': must be at least 1"),
                    arguments("promote(NULL)", "max is null: must be at least 1"),
                    arguments("rescue(max => 0)", "max is '0': must be at least 1"),
                    arguments("rescue(ttl => '-1 second')", "ttl is '-00:00:01': must be at least 0"),
                    arguments("rescue(grace => '-1 second')", "grace is '-00:00:01': must be at least 0"),
                    arguments("rescue(ttl => NULL)", "ttl and grace is null: must not be null"),
                    arguments("configure(retention => '-1 day')", "retention is '-1 days': must be at least 0"),
                    arguments(
                            "configure(max_payload_bytes => 1)", "max_payload_bytes is '1': must be between 1000 and"),
                    arguments("configure(pending_warning => -1)", "pending_warning is '-1': must be at least 0"),
                    arguments("configure(pending_critical => -1)", "pending_critical is '-1': must be at least 0"),
                    arguments("configure_queue('q', retention => '-1 day')", "retention is '-1 days': must be"),
                    arguments("configure_queue('q', pending_warning => -1)", "pending_warning is '-1': must be"),
                    arguments("configure_queue('q', pending_critical => -1)", "pending_critical is '-1': must be"),
                    arguments("set_retry_policy('mail', max_attempts => 0)", "max_attempts is '0': must be at least 1"),
                    arguments("set_retry_policy('mail', base => '-1 s')", "base is '-00:00:01': must be at least 0"),
                    arguments("set_retry_policy('mail', base => NULL)", "base is null: must not be null"),
                    arguments("set_retry_policy('mail', factor => 0.5)", "factor is '0.5': must be between 1 and 100"),
                    arguments(
                            "set_retry_policy('mail', factor => 'NaN')", "factor is 'NaN': must be between 1 and 100"),
                    arguments(
                            "set_retry_policy('mail', maximum => '1 s')",
                            "maximum is '00:00:01': must be at least base"),
                    arguments("set_retry_policy('mail', jitter => 1.1)", "jitter is '1.1': must be between 0 and 1"),
                    arguments("set_retry_policy('mail', jitter => -0.1)", "jitter is '-0.1': must be between 0 and 1"),
                    arguments(
                            "set_retry_policy('mail', timeout => '0')", "timeout is '00:00:00': must be more than 0"));
        }

        static Stream<Arguments> operators() {
            String no = "must be one of ";
            return Stream.of(
                    arguments("find_jobs(NULL)", "filter is null: must be an object"),
                    arguments("find_jobs('[]')", "filter is '[]': must be an object"),
                    arguments("find_jobs('{}')", "state is null: " + no + "CANCELLED, COMPLETED, DEAD, PENDING"),
                    arguments("find_jobs('{\"state\": \"odd\"}')", "state is 'odd': " + no),
                    arguments("find_jobs('{\"state\": 1}')", "state is '1': must be a text"),
                    arguments(
                            "find_jobs('{\"state\": \"DEAD\", \"que\": \"a\"}')", "filter is 'que': must be an object"),
                    arguments("find_jobs('{\"state\": \"DEAD\"}', max => 0)", "max is '0': must be between 1 and 1000"),
                    arguments("find_jobs('{\"state\": \"DEAD\"}', 'x')", "after is 'x': must be a cursor"),
                    arguments("count_jobs('{\"state\": \"DEAD\"}', 0)", "max is '0': must be between 1 and 100000"),
                    arguments(
                            "count_jobs('{\"state\": \"DEAD\", \"since\": \"soon\"}')",
                            "since is 'soon': must be a time"),
                    arguments(
                            "count_jobs('{\"state\": \"DEAD\", \"before\": \"infinity\"}')",
                            "before is 'infinity': must be finite"),
                    arguments(
                            "count_jobs('{\"state\": \"DEAD\", \"error_like\": \"x\\\\\"}')",
                            "error_like is E'x\\\\': must not end with a backslash"),
                    arguments(
                            "cancel_jobs('{\"state\": \"DEAD\"}')",
                            "state is 'DEAD': " + no + "SCHEDULED, WAITING, PENDING, RUNNING"),
                    arguments("dead_groups(0)", "max is '0': must be between 1 and 1000"),
                    arguments("throughput(step => '1 second')", "step is '00:00:01': must be from 10 seconds"),
                    arguments("throughput(span => '2 days')", "span is '2 days': must be from 1 to 1500 steps"),
                    arguments(
                            "throughput(span => '6 hours', step => '10 seconds')",
                            "span is '06:00:00': must be from 1 to 1500 steps"),
                    arguments("throughput_by_queue('1 day')", "span is '1 day': must be from 1 minute to 1 hour"),
                    arguments("measure(NULL)", "lag is null: must not be null"),
                    arguments("measure('-1 s')", "lag is '-00:00:01': must be at least 0"),
                    arguments("measure(span => '0')", "span is '00:00:00': must be more than 0"),
                    arguments("record_action(NULL, 'pause')", "actor is null: must have 1 to 200 characters"),
                    arguments("record_action('ann', '')", "action is '': must have 1 to 200 characters"),
                    arguments("find_actions(max => 0)", "max is '0': must be between 1 and 1000"),
                    arguments("undo_action(1, '')", "actor is '': must have 1 to 200 characters"),
                    arguments("cancel_jobs(NULL)", "filter is null: must be an object"),
                    arguments(
                            "cancel_jobs('{\"state\": \"PENDING\"}', max => 10001)",
                            "max is '10001': must be between 1"),
                    arguments("retry_jobs('{\"state\": \"PENDING\"}')", "state is 'PENDING': " + no + "SCHEDULED"),
                    arguments("replay_jobs('{\"state\": \"PENDING\"}')", "state is 'PENDING': " + no + "DEAD"),
                    arguments("purge_jobs('{\"state\": \"COMPLETED\"}')", "state is 'COMPLETED': " + no + "DEAD"),
                    arguments("purge_jobs('{\"state\": \"DEAD\"}', max => NULL)", "max is null: must be between 1"),
                    arguments("reprioritise_jobs('{\"state\": \"RUNNING\"}', 1)", "state is 'RUNNING': " + no),
                    arguments(
                            "reprioritise_jobs('{\"state\": \"PENDING\"}', NULL)",
                            "priority is null: must not be null"),
                    arguments("reprioritise(gen_random_uuid(), NULL)", "priority is null: must not be null"),
                    arguments("reschedule_jobs('{\"state\": \"DEAD\"}', now())", "state is 'DEAD': " + no),
                    arguments(
                            "reschedule_jobs('{\"state\": \"PENDING\"}', 'infinity')",
                            "run_at is 'infinity': must be finite"),
                    arguments("reschedule(gen_random_uuid(), NULL)", "run_at is null: must be finite and not null"));
        }

        @ParameterizedTest
        @MethodSource({"publish", "uniqueKeys", "publishManyAsJson", "aWorker", "upkeepAndSettings", "operators"})
        void aCallIsRefusedWhenItIsWrong(String call, String message) {
            refuses(call, message);
        }
    }
}
