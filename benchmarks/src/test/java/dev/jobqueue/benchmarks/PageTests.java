package dev.jobqueue.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PageTests {

    @TempDir
    private Path directory;

    @Test
    void replacesOnlyWhatIsBetweenTheMarkers() throws IOException {
        Path page = directory.resolve("page.md");
        Files.writeString(page, "before\n" + Page.BEGIN + "\nold\n" + Page.END + "\nafter\n");
        Page.replace(page, "new\n");
        assertThat(page).hasContent("before\n" + Page.BEGIN + "\n\nnew\n\n" + Page.END + "\nafter\n");
    }

    @Test
    void refusesAPageWithoutMarkers() throws IOException {
        Path page = Files.writeString(directory.resolve("page.md"), "nothing");
        assertThatIOException().isThrownBy(() -> Page.check(page)).withMessageContaining(Page.BEGIN);
    }
}
