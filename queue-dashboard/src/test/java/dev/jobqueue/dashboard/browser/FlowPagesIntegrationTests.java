package dev.jobqueue.dashboard.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.deque.html.axecore.playwright.AxeBuilder;
import com.deque.html.axecore.results.Rule;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.AriaRole;
import com.microsoft.playwright.options.ColorScheme;
import dev.jobqueue.Batch;
import dev.jobqueue.Flow;
import dev.jobqueue.Job;
import dev.jobqueue.dashboard.browser.ShopHandlers.Invoice;
import dev.jobqueue.operate.FlowState;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class FlowPagesIntegrationTests {

    @RegisterExtension
    static final Browsing browsing = new Browsing();

    @Test
    void drawsAFlowThatGoesOnBySignal() {
        UUID id = browsing.shop()
                .publisher()
                .publish(Flow.of("order", 4_711)
                        .step("pay", invoice())
                        .signal("approved")
                        .after("pay")
                        .each("label", IntStream.range(0, 30).boxed().toList(), item -> invoice())
                        .after("approved")
                        .step("mail", invoice())
                        .after("label", "pay"));
        Page page = browsing.open("flows");
        page.getByText("order", new Page.GetByTextOptions().setExact(true)).click();
        assertThat(page.locator("h1")).hasText("order");
        assertThat(page.locator(".step")).hasCount(4);
        assertThat(page.locator(".step.done")).containsText("pay");
        assertThat(page.locator(".graph")).containsText("0 of 30");
        assertThat(page.locator(".why")).containsText("It waits for the signal 'approved'");
        hasNoBarriers(page);

        page.getByText("Signal…").click();
        page.locator("dialog [name=payload]").fill("{");
        page.locator("dialog button").last().click();
        assertThat(page.getByRole(AriaRole.ALERT)).isVisible();
        page.locator("dialog [name=payload]").fill("{\"by\": \"ada\"}");
        page.locator("dialog button").last().click();
        assertThat(page.locator(".job-line")).containsText("Succeeded");
        assertThat(page.locator(".graph")).containsText("30 of 30");
        assertThat(page.locator(".why")).hasCount(0);
        assertThat(browsing.shop().operations().findFlow(id).orElseThrow().state())
                .isEqualTo(FlowState.SUCCEEDED);
        page.locator("a.step").first().click();
        assertThat(page.locator("h1")).hasText("invoice.send");
        assertThat(page.locator(".facts").first()).containsText("pay");
    }

    @Test
    void showsAndCancelsABatch() {
        UUID id = browsing.shop()
                .publisher()
                .publish(Batch.of("newsletter")
                        .key("of-the-17th-of-november-to-all-who-asked-for-it")
                        .add(invoice(), invoice().delay(Duration.ofHours(1))));
        Page page = browsing.open("flows?kind=BATCH&name=newsletter");
        assertThat(page.locator("tr[data-row]")).hasCount(1);
        hasNoBarriers(page);
        page.locator("tr[data-row] a").first().click();
        assertThat(page.locator(".running-now")).containsText("1 of 2");
        page.locator("main")
                .getByText("Cancel", new Locator.GetByTextOptions().setExact(true))
                .first()
                .click();
        page.locator("dialog button").last().click();
        assertThat(page.locator(".job-line")).containsText("Cancelled");
        Waiting.until(
                () -> browsing.shop().operations().findFlow(id).orElseThrow().state() == FlowState.CANCELLED);
        browsing.open("audit");
        page.locator(
                        "tr[data-row] a",
                        new Page.LocatorOptions().setHasText(id.toString().substring(28)))
                .click();
        assertThat(page.locator("h1")).hasText("newsletter");
        page.setViewportSize(360, 740);
        for (String path : List.of("flows", "flows/" + id)) {
            browsing.open(path);
            assertThat(page.evaluate("document.documentElement.scrollWidth")).isEqualTo(360);
        }
    }

    private static Job invoice() {
        return Job.of("invoice.send", new Invoice(1, "ada@example.org"));
    }

    private static void hasNoBarriers(Page page) {
        for (ColorScheme theme : List.of(ColorScheme.LIGHT, ColorScheme.DARK)) {
            page.emulateMedia(new Page.EmulateMediaOptions().setColorScheme(theme));
            assertThat(new AxeBuilder(page).analyze().getViolations())
                    .extracting(Rule::getId)
                    .isEmpty();
        }
    }
}
