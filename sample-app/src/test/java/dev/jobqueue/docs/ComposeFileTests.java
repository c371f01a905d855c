package dev.jobqueue.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.Yaml;

/** compose.yaml starts the server that the lines above it name. */
class ComposeFileTests {

    private static final Path FILE = Path.of("../compose.yaml");

    @Test
    void startsTheServerThatItsCommentNames() throws IOException {
        String text = Files.readString(FILE);
        Map<String, Map<String, Map<String, Object>>> file = new Yaml().load(text);
        assertThat(file).containsOnlyKeys("services");
        assertThat(file.get("services")).containsOnlyKeys("postgres");
        Map<String, Object> server = file.get("services").get("postgres");
        assertThat(server)
                .containsOnlyKeys("image", "environment", "ports")
                .containsEntry("ports", List.of("127.0.0.1:5432:5432"))
                .containsEntry(
                        "environment",
                        Map.of("POSTGRES_DB", "shop", "POSTGRES_USER", "shop", "POSTGRES_PASSWORD", "shop"));
        assertThat(server.get("image").toString()).matches("postgres:1[5-8]");
        assertThat(text)
                .contains(
                        "SPRING_DATASOURCE_URL=jdbc:postgresql://localhost:5432/shop ",
                        "SPRING_DATASOURCE_USERNAME=shop ",
                        "SPRING_DATASOURCE_PASSWORD=shop\n");
    }
}
