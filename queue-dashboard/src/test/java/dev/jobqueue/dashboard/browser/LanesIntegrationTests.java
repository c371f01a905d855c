package dev.jobqueue.dashboard.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.AriaRole;
import dev.jobqueue.Job;
import dev.jobqueue.JobState;
import dev.jobqueue.LimitDefinition;
import dev.jobqueue.dashboard.browser.ShopHandlers.Invoice;
import dev.jobqueue.operate.JobLimits;
import java.time.Instant;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class LanesIntegrationTests {

    @RegisterExtension
    static final Browsing browsing = new Browsing();

    @Test
    void changesALimitThatHoldsJobsBack() {
        limits().set(LimitDefinition.ofRunning("reports", 1));
        limits().useForType("report.build", Map.of("reports", "tenant"));
        UUID first = publish(Job.of("report.build", Map.of("tenant", "acme")));
        Waiting.until(() -> state(first) == JobState.RUNNING);
        UUID second = publish(Job.of("report.build", Map.of("tenant", "acme")));
        Page page = browsing.open("lanes");
        Locator row = page.locator("tr[data-row]").filter(new Locator.FilterOptions().setHasText("report.build"));
        assertThat(row).containsText("report.build by tenant");
        row.getByText("reports", new Locator.GetByTextOptions().setExact(true)).click();
        assertThat(page.locator("h1")).hasText("Lanes of reports");
        assertThat(page.locator("tr[data-row]")).containsText("acme");
        assertThat(page.locator("tr[data-row]")).containsText("Full");
        assertThat(page.locator("tr[data-row]")).containsText("1 / 1");

        page.navigate(browsing.shop().url("jobs/" + second));
        assertThat(page.locator(".job-line")).containsText("Waiting");
        assertThat(page.locator(".why")).containsText("LANE_FULL");
        assertThat(page.locator(".job-side")).containsText("acme");

        page.navigate(browsing.shop().url("lanes"));
        button(page, "Change reports").click();
        page.locator("dialog [name=rate]").fill("quick");
        page.getByRole(AriaRole.DIALOG).getByText("Change", exactly()).last().click();
        assertThat(page.getByRole(AriaRole.ALERT)).containsText("rate is 'quick'");
        page.locator("dialog [name=rate]").fill("");
        page.locator("dialog [name=running]").fill("2");
        confirm(page, "Change");
        Waiting.until(() -> state(second) == JobState.RUNNING);
        assertThat(limits().find("reports").orElseThrow().definition().running())
                .isEqualTo(2);
        page.getByText("Undo").click();
        Waiting.until(() -> Integer.valueOf(1)
                .equals(limits().find("reports").orElseThrow().definition().running()));
        browsing.shop().handlers().finish(first);
        browsing.shop().handlers().finish(second);
    }

    @Test
    void releasesALaneBehindADeadLetter() {
        limits().set(LimitDefinition.ofFifo("orders"));
        limits().useForType("invoice.send", Map.of("orders", "orderId"));
        UUID dead = publish(Job.of("invoice.send", new Invoice(7, "fail@example.org")));
        Waiting.until(() -> state(dead) == JobState.DEAD);
        UUID next = publish(Job.of("invoice.send", new Invoice(7, "ada@example.org")));
        Page page = browsing.open("lanes?limit=orders");
        assertThat(page.locator("tr[data-row]")).containsText("Blocked");
        assertThat(page.locator("tr[data-row] .beside a")).hasAttribute("href", "jobs/" + dead);
        page.setViewportSize(360, 740);
        assertThat(page.evaluate("document.documentElement.scrollWidth")).isEqualTo(360);
        button(page, "Release 7").click();
        confirm(page, "Release");
        assertThat(page.locator(".empty")).containsText("No lane is in use");
        Waiting.until(() -> state(next) == JobState.COMPLETED);
    }

    @Test
    void closesAndOpensALane() {
        limits().set(LimitDefinition.ofRunning("tidy", 3));
        limits().useForType("orders.tidy", Map.of("tidy", ""));
        limits().closeLane("tidy", "", Instant.parse("2099-01-01T00:00:00Z"));
        UUID id = publish(Job.of("orders.tidy", null));
        Page page = browsing.open("lanes?limit=tidy");
        assertThat(page.locator("tr[data-row]")).containsText("Opens in");
        button(page, "Open without a key").click();
        confirm(page, "Open");
        Waiting.until(() -> state(id) == JobState.COMPLETED);
        assertThat(page.locator(".empty")).containsText("No lane is in use");
    }

    @Test
    void appliesALimitAndRemovesIt() {
        limits().set(LimitDefinition.ofFairShare("turns"));
        Page page = browsing.open("lanes?limit=turns");
        button(page, "Apply…").click();
        page.locator("dialog [name=of]").fill("invoice.send");
        page.locator("dialog [name=key]").fill("email");
        confirm(page, "Apply");
        Locator row = page.locator("tr[data-row]").filter(new Locator.FilterOptions().setHasText("turns"));
        assertThat(row).containsText("invoice.send by email");
        button(page, "Change turns").click();
        page.locator("dialog [name=weights]").fill("{\"ada@example.org\": 3}");
        confirm(page, "Change");
        Waiting.until(() ->
                !limits().find("turns").orElseThrow().definition().weights().isEmpty());
        row.locator("[data-open]").click();
        button(page, "Remove").click();
        confirm(page, "Remove");
        assertThat(page.locator("h1")).hasText("Lanes");
        assertThat(row).hasCount(0);
        page.getByText("Undo").last().click();
        assertThat(row).containsText("invoice.send by email");
    }

    @Test
    void showsTheBeginningOfALongKey() {
        limits().set(LimitDefinition.ofRunning("long", 1));
        limits().closeLane("long", "key".repeat(30_000), Instant.parse("2099-01-01T00:00:00Z"));
        Page page = browsing.open("lanes?limit=long");
        assertThat(page.locator("tr[data-row]")).containsText("keykey");
        assertThat(((Number) page.evaluate("document.querySelector('main').textContent.length")).intValue())
                .isLessThan(1_000);
    }

    private static JobLimits limits() {
        return browsing.shop().operations().limits();
    }

    private static UUID publish(Job job) {
        return browsing.shop().publisher().publish(job);
    }

    private static JobState state(UUID id) {
        return browsing.shop().operations().find(id).orElseThrow().state();
    }

    private static Locator.GetByTextOptions exactly() {
        return new Locator.GetByTextOptions().setExact(true);
    }

    private static Locator button(Page page, String name) {
        return page.locator("main")
                .getByRole(
                        AriaRole.BUTTON,
                        new Locator.GetByRoleOptions().setName(name).setExact(true));
    }

    private static void confirm(Page page, String word) {
        page.getByRole(AriaRole.DIALOG)
                .getByRole(
                        AriaRole.BUTTON,
                        new Locator.GetByRoleOptions().setName(word).setExact(true))
                .click();
        assertThat(page.getByRole(AriaRole.DIALOG)).hasCount(0);
    }
}
