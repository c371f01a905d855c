package dev.jobqueue.dashboard.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;

import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.ColorScheme;
import dev.jobqueue.Job;
import dev.jobqueue.JobState;
import dev.jobqueue.LimitDefinition;
import dev.jobqueue.Rate;
import dev.jobqueue.dashboard.browser.ShopHandlers.Invoice;
import dev.jobqueue.operate.JobFilter;
import dev.jobqueue.operate.JobLimits;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
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
            INSERT INTO queue.throughput AS t (step, type, queue, at, completed, failed, dead, wait_ms, run_ms)
            SELECT step, '', queue, at, jobs,
                   CASE WHEN minute BETWEEN 20 AND 26 THEN jobs / 9 ELSE jobs / 160 END,
                   CASE WHEN minute BETWEEN 22 AND 26 THEN jobs / 150 ELSE 0 END,
                   (jobs * (26 + 9 * sin(minute / 5) + 4 * sin(minute * 2.3)))::int,
                   (jobs * (110 + 40 * sin(minute / 4) + 9 * sin(minute * 2.9)))::int
            FROM (SELECT step, queue, at, minute,
                         (share * step / 60 * (620 + 260 * sin(minute / 7) + 90 * sin(minute * 1.7)))::int AS jobs
                  FROM (VALUES (60, -3, 70), (10, -18, 90)) AS steps (step, first, last),
                       (VALUES ('', 1.0), ('default', 0.6), ('mail', 0.33), ('reports', 0.02)) AS parts (queue, share),
                       LATERAL (SELECT n * step / 60.0 AS minute,
                                       date_bin(step * interval '1 s', now(), 'epoch') - n * step * interval '1 s' AS at
                                FROM generate_series(first, last) AS n) AS times) AS work
            ON CONFLICT (step, type, queue, at) DO UPDATE SET completed = excluded.completed,
                failed = excluded.failed, dead = excluded.dead, wait_ms = excluded.wait_ms, run_ms = excluded.run_ms
            """;

    private static final String CHARTS_ARE_DRAWN =
            "() => ![...document.querySelectorAll('.plot input')].some(each => each.ariaValueText === 'no data')";

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
        fillLanes(shop);
        shop.operations().pause("webhooks");
        shop.publisher().publish(Job.of("webhook.call", 1).queue("webhooks"));
        Waiting.until(() -> shop.operations().count(JobFilter.of(JobState.DEAD)).jobs() == 15);
        try (Connection connection = Browsing.database().connect();
                Statement statement = connection.createStatement()) {
            statement.execute(AN_HOUR_OF_WORK);
        }
    }

    /** Reports run until they are told to finish, so the lanes of their tenants are full. */
    private static void fillLanes(Shop shop) {
        JobLimits limits = shop.operations().limits();
        limits.set(LimitDefinition.ofRunning("crm", 2).rate(Rate.of("100/10s")).burst(10));
        limits.set(LimitDefinition.ofFifo("ledger"));
        limits.set(LimitDefinition.ofFairShare("tenants"));
        limits.useForType("report.build", Map.of("crm", "tenant"));
        limits.useForType("invoice.send", Map.of("ledger", "orderId"));
        limits.useForQueue("mail", Map.of("tenants", "header:tenant"));
        limits.closeLane("crm", "northwind", Instant.now().plus(Duration.ofMinutes(42)));
        Map<String, Integer> tenants = Map.of("acme", 5, "globex", 4, "initech", 2, "northwind", 3);
        tenants.forEach((tenant, jobs) -> {
            for (int i = 0; i < jobs; i++) {
                shop.publisher()
                        .publish(
                                Job.of("report.build", Map.of("tenant", tenant)).queue("default"));
            }
        });
        for (int i = 0; i < 3; i++) {
            shop.publisher().publish(Job.of("invoice.send", new Invoice(4_711, "fail@example.org")));
        }
    }

    @ParameterizedTest
    @CsvSource(textBlock = """
                    overview, '', .plot, 1280, 840
                    jobs, jobs, table.jobs, 1280, 640
                    job, jobs/REPORT, .log, 1280, 800
                    dead-letters, dead, table.dead, 1280, 360
                    lanes, lanes?limit=crm, table.lanes, 1280, 360
                    """)
    void takesPictures(String name, String path, String content, int width, int height) throws Exception {
        Path folder = Path.of("..", "docs", "images");
        Files.createDirectories(folder);
        for (ColorScheme theme : List.of(ColorScheme.LIGHT, ColorScheme.DARK)) {
            browsing.page().setViewportSize(width, height);
            browsing.page().emulateMedia(new Page.EmulateMediaOptions().setColorScheme(theme));
            Page page = browsing.open(path.replace("REPORT", report.toString()));
            assertThat(page.locator(".condition")).hasText("Live");
            assertThat(page.locator(content).first()).isVisible();
            page.waitForFunction(CHARTS_ARE_DRAWN);
            page.screenshot(new Page.ScreenshotOptions()
                    .setPath(folder.resolve(
                            "dashboard-%s-%s.png".formatted(name, theme.name().toLowerCase(Locale.ROOT)))));
        }
    }
}
