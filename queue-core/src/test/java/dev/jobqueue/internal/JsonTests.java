package dev.jobqueue.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.annotation.JsonTypeName;
import dev.jobqueue.InvalidJobException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

class JsonTests {

    private static final List<Object> PAYLOADS = Arrays.asList(
            new Mail("ann@example.org", 1),
            "a text, \"quoted\"",
            null,
            42,
            Map.of("name", "Zoë \uD83D\uDE00"),
            List.of(),
            new Circle(2),
            new Mail("bob@example.org", 2));

    static Stream<JsonMapper> mappers() {
        return Stream.of(
                JsonMapper.shared(),
                JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build(),
                JsonMapper.builder()
                        .enable(SerializationFeature.WRAP_ROOT_VALUE)
                        .build());
    }

    @ParameterizedTest
    @MethodSource("mappers")
    void writesManyPayloadsAsItWritesEach(JsonMapper mapper) {
        Json json = new Json(mapper);

        assertThat(json.writePayloads(PAYLOADS))
                .containsExactlyElementsOf(
                        PAYLOADS.stream().map(json::writePayload).toList());
    }

    @Test
    void saysWhichOfManyCannotBeWritten() {
        Json json = new Json(JsonMapper.shared());

        Map<String, Object> endless = new HashMap<>();
        endless.put("again", endless);

        assertThatThrownBy(() -> json.writePayloads(List.of(new Mail("ann@example.org", 1), endless)))
                .isInstanceOf(InvalidJobException.class)
                .hasMessageContaining("'java.util.HashMap' cannot be written as JSON: ");
        assertThatThrownBy(() -> json.writePayloads(List.of("whole", "cut \uD83D")))
                .isInstanceOf(InvalidJobException.class)
                .hasMessageContaining("half of a surrogate pair");
    }

    private record Mail(String to, int number) {}

    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME)
    @JsonTypeName("circle")
    private record Circle(int radius) {}
}
