package dev.jobqueue.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.Deflater;
import java.util.zip.DeflaterOutputStream;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;

class AssetsTests {

    private static final int MOST = 60_000;

    @Test
    void areSmall() throws IOException {
        Map<String, Integer> sizes = new TreeMap<>();
        for (Resource asset : assets("*")) {
            sizes.put(name(asset), deflated(Assets.withoutComments(asset.getContentAsByteArray())));
        }
        int all = sizes.values().stream().mapToInt(Integer::intValue).sum();
        LoggerFactory.getLogger(AssetsTests.class).info("The assets have {} bytes deflated: {}", all, sizes);
        assertThat(sizes).containsKeys("index.html", "app.js", "style.css", "lit-html.js");
        assertThat(all)
                .as("bytes of all assets as they are served, deflated one by one")
                .isLessThanOrEqualTo(MOST);
    }

    @Test
    void areAllLoadedAtOnce() throws IOException {
        String page = assets("index.html")[0].getContentAsString(StandardCharsets.UTF_8);
        for (Resource module : assets("*.js")) {
            assertThat(page).contains("\"assets/" + name(module) + "\"");
        }
    }

    @Test
    void areServedWithoutCommentsButWithLicencesAndTheSameLines() {
        String source =
                "/** @license of others */\n// why\nlet a = 1; // stays\n  /**\n   * What.\n   */\nlet b = '/*';\n";
        String served =
                new String(Assets.withoutComments(source.getBytes(StandardCharsets.UTF_8)), StandardCharsets.UTF_8);
        assertThat(served).isEqualTo("/** @license of others */\n\nlet a = 1; // stays\n\n\n\nlet b = '/*';\n");
    }

    private static Resource[] assets(String pattern) throws IOException {
        return new PathMatchingResourcePatternResolver()
                .getResources("classpath:dev/jobqueue/dashboard/assets/" + pattern);
    }

    private static String name(Resource asset) {
        return String.valueOf(asset.getFilename());
    }

    private static int deflated(byte[] bytes) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (DeflaterOutputStream stream =
                new DeflaterOutputStream(out, new Deflater(Deflater.BEST_COMPRESSION, true))) {
            stream.write(bytes);
        }
        return out.size();
    }
}
