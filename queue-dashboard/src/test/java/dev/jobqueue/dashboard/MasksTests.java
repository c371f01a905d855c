package dev.jobqueue.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

class MasksTests {

    private final Masks masks = new Masks(List.of("password", "api-key", "token"), 1_000);

    private String shown(String json) {
        return JsonMapper.shared().writeValueAsString(masks.json(json));
    }

    @Test
    void hidesSecretsHoweverTheyAreWrittenAndHoweverDeepTheyAre() {
        assertThat(shown("{\"a\": [{\"apiKey\": \"s\", \"API_KEY\": {\"x\": \"s\"}, \"userPassword\":"
                        + " 1}], \"b\": \"ok\"}"))
                .doesNotContain("\"s\"")
                .contains("ok", "apiKey")
                .doesNotContain(":1");
        assertThat(masks.headers(Map.of("X-Api-Key", "s", "trace", "t")))
                .containsEntry("X-Api-Key", Masks.MASK)
                .containsEntry("trace", "t");
    }

    @Test
    void keepsAllElse() {
        assertThat(shown("{\"a\":1.10,\"b\":[null,true,\"<script>\"],\"c\":12345678901234567890}"))
                .isEqualTo("{\"a\":1.10,\"b\":[null,true,\"<script>\"],\"c\":12345678901234567890}");
        assertThat(masks.json(null)).isNull();
        assertThat(shown("null")).isEqualTo("null");
    }

    @Test
    void masksBeforeItCuts() {
        String json = "{\"token\": \"s3cret\", \"text\": \"" + "x".repeat(5_000) + "\"}";
        assertThat(masks.json(json)).isInstanceOf(Map.class);
        assertThat(shown(json)).contains("\"$truncated\":" + json.length()).doesNotContain("s3cret");
        assertThat(shown(json).length()).isLessThan(1_500);
    }

    @Test
    void showsNothingWhereNothingMayBeShown() {
        Masks nothing = new Masks(List.of(), 0);
        assertThat(JsonMapper.shared().writeValueAsString(nothing.json("{\"a\": 1}")))
                .isEqualTo("{\"$truncated\":8,\"text\":\"\"}");
        assertThat(nothing.headers(Map.of("tenant", "acme"))).containsEntry("tenant", "");
    }

    @Test
    void showsNothingOfWhatItCannotRead() {
        String deep = "[".repeat(5_000) + "\"s3cret\"" + "]".repeat(5_000);
        assertThat(shown(deep)).contains("$truncated").doesNotContain("s3cret");
    }
}
