package dev.jobqueue.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonSetter;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.annotation.JsonTypeName;
import com.fasterxml.jackson.annotation.Nulls;
import dev.jobqueue.InvalidJobException;
import dev.jobqueue.PermanentJobException;
import java.math.BigDecimal;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.exc.InvalidNullException;
import tools.jackson.databind.json.JsonMapper;

class JsonTests {

    private static final List<Object> FEW = Arrays.asList(
            new Mail("ann@example.org", 1),
            "a text, \"quoted\"",
            null,
            42,
            Map.of("name", "Zoë \uD83D\uDE00"),
            List.of(),
            new Circle(2),
            "longer than what a generator keeps, ".repeat(1_000),
            new Mail("bob@example.org", 2));

    private static final List<Object> MANY =
            Collections.nCopies(10, FEW).stream().flatMap(List::stream).toList();

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

        assertThat(written(FEW, json)).containsExactlyElementsOf(each(FEW, mapper));
        assertThat(written(MANY, json)).containsExactlyElementsOf(each(MANY, mapper));
    }

    private static List<String> written(List<Object> payloads, Json json) {
        try (Json.PayloadWriter writer = json.payloadWriter(payloads.size())) {
            return payloads.stream().map(writer::write).toList();
        }
    }

    private static List<String> each(List<Object> payloads, JsonMapper mapper) {
        return payloads.stream()
                .map(payload -> payload == null ? "{}" : mapper.writeValueAsString(payload))
                .toList();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 1_000})
    void saysWhichOfThemCannotBeWritten(int others) {
        Json json = new Json(JsonMapper.shared());
        Map<String, Object> endless = new HashMap<>();
        endless.put("again", endless);

        assertThatThrownBy(() -> written(with(endless, others), json))
                .isInstanceOf(InvalidJobException.class)
                .hasMessageContaining("'java.util.HashMap' cannot be written as JSON: ");
        assertThatThrownBy(() -> written(with("cut \uD83D", others), json))
                .isInstanceOf(InvalidJobException.class)
                .hasMessageContaining("half of a surrogate pair, '\\ud83d' at character 6");
    }

    private static List<Object> with(Object bad, int others) {
        return Stream.concat(Collections.nCopies(others, "Zoë").stream(), Stream.of(bad, "whole"))
                .toList();
    }

    private record Mail(String to, int number) {}

    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME)
    @JsonTypeName("circle")
    private record Circle(int radius) {}

    @Test
    void quotesNothingOfAPayloadInTheFirstLineOfItsError() {
        assertThatThrownBy(() -> new Json(JsonMapper.shared()).readPayload("\"secret\"", Integer.class))
                .isInstanceOf(PermanentJobException.class)
                .hasMessageStartingWith("The payload cannot be read as 'java.lang.Integer':"
                        + " there is a text where 'java.lang.Integer' is wanted\n")
                .hasMessageContaining("secret");
    }

    @Test
    void namesThePlaceOfWhatItCannotReadInAPayload() {
        String payload = "{\"to\": [{\"number\": 1}, {\"number\": \"secret\"}]}";

        assertThatThrownBy(() -> new Json(JsonMapper.shared()).readPayload(payload, Letter.class))
                .isInstanceOf(PermanentJobException.class)
                .hasMessageStartingWith("The payload cannot be read as '" + Letter.class.getName()
                        + "' at 'to.[1].number':" + " there is a text where 'int' is wanted\n");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '^', textBlock = """
                    {"to": "x"}                  | at 'number': it is missing or null. Let it be null
                    {"to": {"a": 1}, "number": 1} | at 'to': there is an object where 'java.lang.String' is wanted
                    "secret"                     | there is a text where '
                    [1]                          | there is an array where '
                    """)
    void saysInTheFirstLineWhyAPayloadCannotBeRead(String payload, String reason) {
        assertThatThrownBy(() -> new Json(JsonMapper.shared()).readPayload(payload, Mail.class))
                .isInstanceOf(PermanentJobException.class)
                .satisfies(ex -> assertThat(Errors.firstLine(ex.getMessage()))
                        .contains(reason)
                        .doesNotContain("secret"));
    }

    @Test
    void givesTheAdviceOfThisLibraryOnlyWhereAPropertyIsMissing() {
        assertThatThrownBy(() -> new Json(JsonMapper.shared()).readPayload("{\"to\": \"x\"}", Mail.class))
                .satisfies(ex -> assertThat(ex.getMessage()).doesNotContain("DeserializationFeature"));
    }

    /** As the module for Kotlin tells of a property that is missing and may not be null. */
    @Test
    void saysThatAPropertyIsMissingWhichMayNotBeNull() {
        assertThatThrownBy(() -> new Json(JsonMapper.shared()).readPayload("{\"to\": null}", Strict.class))
                .hasCauseInstanceOf(InvalidNullException.class)
                .hasMessageContaining("at 'to': it is missing or null");
        assertThatThrownBy(() -> new Json(JsonMapper.shared()).readPayload("{}", Demanding.class))
                .hasMessageContaining("'to' is missing or null");
    }

    record Strict(@JsonSetter(nulls = Nulls.FAIL) String to) {}

    record Demanding(@JsonProperty(required = true) String to) {}

    @Test
    void namesTheExceptionOfAConstructorInTheFirstLine() {
        assertThatThrownBy(() -> new Json(JsonMapper.shared()).readPayload("{\"cents\": -7}", Picky.class))
                .satisfies(ex -> assertThat(Errors.firstLine(ex.getMessage()))
                        .endsWith("its constructor threw java.lang.IllegalArgumentException"));
    }

    record Picky(int cents) {
        Picky {
            if (cents < 0) {
                throw new IllegalArgumentException("not " + cents);
            }
        }
    }

    @Test
    void keepsTheDigitsOfNumbersInStepsOfNoType() {
        Object step =
                new Json(JsonMapper.shared()).readStep("totals", "{\"sum\": 12345678901234567890.1230}", Map.class);

        assertThat(step).isEqualTo(Map.of("sum", new BigDecimal("12345678901234567890.1230")));
    }

    @Test
    void writesNoResultOfMoreThanEightMebibytes() {
        Json json = new Json(JsonMapper.shared());
        assertThat(json.writeResult("x".repeat(8_388_606))).hasSize(8_388_608);
        assertThatThrownBy(() -> json.writeResult("x".repeat(8_388_607)))
                .isInstanceOf(InvalidJobException.class)
                .hasMessageStartingWith("result is '8388609 bytes': must not be longer than 8388608 bytes");
        assertThatThrownBy(() -> json.writeResult("€".repeat(3_000_000)))
                .isInstanceOf(InvalidJobException.class)
                .hasMessageStartingWith("result is '9000002 bytes'");
    }

    private record Letter(List<Mail> to) {}
}
