package dev.jobqueue.dashboard.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Route;
import dev.jobqueue.Job;
import dev.jobqueue.JobState;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class LiveIntegrationTests {

    private static final String NO_DATABASE = """
            {"status": 503, "title": "Service Unavailable", "detail": "The database rests."}""";

    @RegisterExtension
    static final Browsing browsing = new Browsing();

    @Test
    void followsAJobToItsEnd() {
        ShopHandlers handlers = browsing.shop().handlers();
        UUID id = browsing.shop().publisher().publish("report.build", List.of("orders"));
        Page page = browsing.open("jobs/" + id);
        handlers.progress(id, 20, "collecting");
        assertThat(page.locator(".running-now")).containsText("20 %");
        handlers.log(id, "The first line");
        assertThat(page.locator(".log")).containsText("The first line");
        handlers.progress(id, 80, "writing");
        assertThat(page.locator(".running-now")).containsText("writing");
        handlers.step(id, "write", 17);
        handlers.finish(id);
        assertThat(page.locator(".job-line")).containsText("Completed");
        assertThat(page.locator(".steps")).containsText("write");
        assertThat(page.locator(".tree").last()).containsText("built");
    }

    @Test
    void keepsFiguresCurrentWithoutMovingThePage() {
        Page page = browsing.open("queues");
        browsing.shop().publisher().publish(Job.of("later", 1).queue("live").delay(Duration.ofHours(1)));
        Locator row = page.locator("tr[data-row]").filter(new Locator.FilterOptions().setHasText("live"));
        assertThat(row.locator("td").nth(2)).hasText("1");
        Object before = page.evaluate(EDGES);
        browsing.shop().publisher().publish(Job.of("later", 2).queue("live").delay(Duration.ofHours(1)));
        assertThat(row.locator("td").nth(2)).hasText("2");
        assertThat(page.evaluate(EDGES)).as("where the columns begin").isEqualTo(before);
    }

    private static final String EDGES =
            "[...document.querySelectorAll('thead th')].map(each => Math.round(each.getBoundingClientRect().left))";

    @Test
    void saysThatItIsStaleWhenTheDatabaseIsGoneAndRecovers() {
        browsing.shop().publisher().publish(Job.of("later", 1).delay(Duration.ofHours(1)));
        Page page = browsing.open("queues");
        assertThat(page.locator(".condition")).hasText("Live");
        page.route(
                "**/api/**",
                route -> route.fulfill(new Route.FulfillOptions()
                        .setStatus(503)
                        .setContentType("application/problem+json")
                        .setBody(NO_DATABASE)));
        // A stream that is open stays open: only a new one is refused.
        page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
        assertThat(page.locator(".condition")).containsText("The database rests.");
        assertThat(page.locator("table.queues")).isVisible();
        page.unroute("**/api/**");
        assertThat(page.locator(".condition")).hasText("Live");
    }

    @Test
    void survivesARestartOfItsNode() {
        Shop first = Shop.start(Browsing.database());
        int port = first.port();
        Page page = browsing.page();
        page.navigate(first.url(""));
        assertThat(page.locator(".condition")).hasText("Live");
        first.close();
        assertThat(page.locator(".condition")).containsText("Stale");
        assertThat(page.locator(".problems")).containsText("not current");
        try (Shop second = Shop.start(Browsing.database(), "server.port=" + port)) {
            assertThat(page.locator(".condition")).hasText("Live");
            UUID id = second.publisher().publish("report.build", List.of());
            Waiting.until(() -> second.operations().find(id).orElseThrow().state() == JobState.RUNNING);
            assertThat(page.locator(".tiles").getByText("Running").locator("xpath=.."))
                    .containsText("1");
        }
    }

    @Test
    void asksTheServerWhereAStreamIsRefused() {
        Page page = browsing.page();
        page.route("**/api/stream*", route -> route.abort());
        browsing.open("queues");
        browsing.shop().publisher().publish(Job.of("later", 1).queue("polled").delay(Duration.ofHours(1)));
        assertThat(page.locator("tr[data-row]").filter(new Locator.FilterOptions().setHasText("polled")))
                .isVisible();
        assertThat(page.locator(".condition")).hasText("Live");
    }
}
