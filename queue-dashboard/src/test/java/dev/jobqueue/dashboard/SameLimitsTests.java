package dev.jobqueue.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.springframework.core.io.ClassPathResource;

/** Limits that the pages have, and SQL functions as well. */
class SameLimitsTests {

    @Test
    void callAScheduleLateWhenTheMetersDo() throws IOException {
        String minutes = found("schema/schedule/R__overdue_schedules.sql", "late interval DEFAULT '(\\d+) minute'");
        assertThat(Problems.LATE).isEqualTo(Duration.ofMinutes(Long.parseLong(minutes)));
    }

    @Test
    void knowWhereCountingALaneStops() throws IOException {
        String inSql = found("schema/limit/R__find_lanes.sql", "w.line = ANY \\(lines\\) LIMIT (\\d+)");
        String inPage = found("dashboard/assets/page-lanes.js", "const MOST = ([\\d_]+);");
        assertThat(inPage.replace("_", "")).isEqualTo(inSql);
    }

    private static String found(String file, String pattern) throws IOException {
        String text = new ClassPathResource("dev/jobqueue/" + file).getContentAsString(StandardCharsets.UTF_8);
        Matcher matcher = Pattern.compile(pattern).matcher(text);
        assertThat(matcher.find()).as("'%s' in %s", pattern, file).isTrue();
        return matcher.group(1);
    }
}
