package dev.jobqueue.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.JobHandler;
import dev.jobqueue.JobPublisher;
import dev.jobqueue.postgres.TestDatabase;
import java.time.Instant;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.json.JsonMapper;

class PayloadMapperIntegrationTests {

    private static final TestDatabase database = TestDatabase.create();

    private final ApplicationContextRunner application =
            QueueApplication.on(database).withBean(Handlers.class);

    @Test
    void isNotThatOfTheWeb() {
        application
                .withPropertyValues(
                        "spring.jackson.property-naming-strategy=SNAKE_CASE",
                        "spring.jackson.deserialization.fail-on-unknown-properties=true")
                .run(context -> {
                    UUID id = context.getBean(JobPublisher.class).publish(new Greeting("Ann", Instant.EPOCH, 3));

                    assertThat(new JobRows(database).result(id)).isEqualTo("\"Ann 1970-01-01T00:00:00Z 3\"");
                    assertThat(payload(id)).contains("\"firstName\"");
                });
    }

    @Test
    void readsPayloadsOfAnOlderAndOfANewerVersion() {
        application.run(context -> {
            UUID id = new JobRows(database)
                    .jdbc()
                    .sql("SELECT queue.publish('greet', '{\"firstName\": \"Bob\", \"nickname\": \"B\"}'::jsonb)")
                    .query(UUID.class)
                    .single();

            assertThat(new JobRows(database).result(id)).isEqualTo("\"Bob null null\"");
        });
    }

    @Test
    void canBeReplaced() {
        application.withUserConfiguration(OwnMapper.class).run(context -> {
            UUID id = context.getBean(JobPublisher.class).publish(new Greeting("Cid", Instant.EPOCH, 1));

            new JobRows(database).result(id);
            assertThat(payload(id)).contains("\"first_name\"");
            assertThat(context.getBean(JsonMapper.class).writeValueAsString(new Greeting("Dan", Instant.EPOCH, 1)))
                    .as("the mapper of the web")
                    .contains("\"firstName\"");
        });
    }

    private static String payload(UUID id) {
        return new JobRows(database)
                .jdbc()
                .sql("SELECT payload FROM queue.job_history WHERE id = ?")
                .param(id)
                .query(String.class)
                .single();
    }

    record Greeting(String firstName, Instant at, Integer times) {}

    static class Handlers {

        @JobHandler("greet")
        String greet(Greeting greeting) {
            return "%s %s %s".formatted(greeting.firstName(), greeting.at(), greeting.times());
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnMapper {

        @Bean(defaultCandidate = false)
        @QueueJsonMapper
        JsonMapper payloads() {
            return JsonMapper.builder()
                    .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
                    .build();
        }
    }
}
