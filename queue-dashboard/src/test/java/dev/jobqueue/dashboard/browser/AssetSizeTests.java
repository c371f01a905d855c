package dev.jobqueue.dashboard.browser;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.Deflater;
import java.util.zip.DeflaterOutputStream;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;

class AssetSizeTests {

    private static final int MOST = 60_000;

    @Test
    void staysSmall() throws IOException {
        Map<String, Integer> sizes = new TreeMap<>();
        for (Resource asset :
                new PathMatchingResourcePatternResolver().getResources("classpath:dev/jobqueue/dashboard/assets/*")) {
            sizes.put(String.valueOf(asset.getFilename()), deflated(asset.getContentAsByteArray()));
        }
        int all = sizes.values().stream().mapToInt(Integer::intValue).sum();
        LoggerFactory.getLogger(AssetSizeTests.class).info("The assets have {} bytes deflated: {}", all, sizes);
        assertThat(sizes).containsKeys("index.html", "app.js", "style.css", "lit-html.js");
        assertThat(all).as("bytes of all assets, deflated one by one").isLessThanOrEqualTo(MOST);
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
