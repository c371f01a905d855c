package dev.jobqueue.dashboard.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;

import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.ColorScheme;
import dev.jobqueue.Job;
import dev.jobqueue.JobState;
import dev.jobqueue.dashboard.browser.ShopHandlers.Invoice;
import dev.jobqueue.operate.JobFilter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Takes the pictures of the documentation anew; CONTRIBUTING.md has the command. */
@EnabledIfEnvironmentVariable(named = "UPDATE_SCREENSHOTS", matches = "true")
class ScreenshotsIntegrationTests {

    @RegisterExtension
    static final Browsing browsing = new Browsing();

    /** Nobody waits an hour for a picture: what was done in the last hour is written into the table of measurements. */
    private static final String AN_HOUR_OF_WORK = """
            INSERT INTO queue.throughput (step, type, queue, at, completed, failed, dead, wait_ms, run_ms)
            SELECT 60, '', queue, at, jobs, CASE WHEN minute BETWEEN 20 AND 26 THEN jobs / 9 ELSE minute % 4 END,
                   CASE WHEN minute BETWEEN 22 AND 26 THEN 3 ELSE 0 END, jobs * (20 + 6 * (minute % 5)),
                   jobs * (110 + 40 * sin(minute / 4.0))::int
            FROM (SELECT minute, queue, date_trunc('minute', now()) - minute * interval '1 minute' AS at,
                         (share * (620 + 260 * sin(minute / 7.0) + 90 * sin(minute * 1.7)))::int AS jobs
                  FROM generate_series(1, 70) AS minute,
                       (VALUES ('', 1.0), ('default', 0.6), ('mail', 0.33), ('reports', 0.02))
                           AS part (queue, share)) AS work
            ON CONFLICT DO NOTHING
            """;

    private static UUID report = new UUID(0, 0);

    @BeforeAll
    static void fillTheShop() throws SQLException {
        Shop shop = browsing.shop();
        report = shop.publisher()
                .publish(Job.of("report.build", Map.of("month", "2026-10", "sections", List.of("orders", "refunds")))
                        .queue("reports")
                        .uniqueKey("report-2026-10")
                        .header("tenant", "acme"));
        for (int i = 0; i < 40; i++) {
            shop.publisher()
                    .publish(Job.of("invoice.send", new Invoice(4_700 + i, "ada@example.org"))
                            .queue("mail"));
            shop.publisher().publish(Job.of("order.remind", i).delay(Duration.ofMinutes(7 * i + 5)));
        }
        for (int i = 0; i < 14; i++) {
            shop.publisher()
                    .publish(Job.of("invoice.send", new Invoice(4_800 + i, "fail@example.org"))
                            .queue("mail"));
        }
        shop.publisher().publish(Job.of("crm.sync", Map.of("account", 7)));
        shop.handlers().step(report, "collect", 18_230);
        shop.handlers().log(report, "Collected 18,230 orders of 2026-10");
        shop.handlers().progress(report, 35, "writing orders");
        shop.handlers().log(report, "Section orders has 412 pages");
        shop.handlers().progress(report, 60, "writing refunds");
        shop.operations().pause("webhooks");
        shop.publisher().publish(Job.of("webhook.call", 1).queue("webhooks"));
        Waiting.until(() -> shop.operations().count(JobFilter.of(JobState.DEAD)).jobs() == 14);
        try (Connection connection = Browsing.database().connect();
                Statement statement = connection.createStatement()) {
            statement.execute(AN_HOUR_OF_WORK);
        }
    }

    @ParameterizedTest
    @CsvSource(textBlock = """
                    overview, '', Overview, 1280, 800
                    jobs, jobs, Jobs, 1280, 640
                    job, jobs/REPORT, report.build, 1280, 800
                    dead-letters, dead, Dead letters, 1280, 400
                    """)
    void takesPictures(String name, String path, String heading, int width, int height) throws Exception {
        Path folder = Path.of("..", "docs", "images");
        Files.createDirectories(folder);
        for (ColorScheme theme : List.of(ColorScheme.LIGHT, ColorScheme.DARK)) {
            browsing.page().setViewportSize(width, height);
            browsing.page().emulateMedia(new Page.EmulateMediaOptions().setColorScheme(theme));
            Page page = browsing.open(path.replace("REPORT", report.toString()));
            assertThat(page.locator("h1")).hasText(heading);
            assertThat(page.locator("main > *").nth(1)).isVisible();
            page.waitForLoadState();
            page.screenshot(new Page.ScreenshotOptions()
                    .setPath(folder.resolve(
                            "dashboard-%s-%s.png".formatted(name, theme.name().toLowerCase(Locale.ROOT)))));
        }
    }
}
