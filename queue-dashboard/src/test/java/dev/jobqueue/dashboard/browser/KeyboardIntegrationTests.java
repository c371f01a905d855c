package dev.jobqueue.dashboard.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.AriaRole;
import dev.jobqueue.Job;
import java.time.Duration;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KeyboardIntegrationTests {

    @RegisterExtension
    static final Browsing browsing = new Browsing();

    @BeforeAll
    static void fillTheShop() {
        for (int i = 0; i < 3; i++) {
            browsing.shop().publisher().publish(Job.of("waits", i).delay(Duration.ofHours(1 + i)));
        }
    }

    @Test
    void goesToEachPage() {
        Page page = browsing.open("");
        for (String[] way : new String[][] {
            {"q", "Queues"},
            {"j", "Jobs"},
            {"d", "Dead letters"},
            {"s", "Schedules"},
            {"n", "Nodes"},
            {"a", "Audit"},
            {"o", "Overview"}
        }) {
            page.keyboard().press("g");
            page.keyboard().press(way[0]);
            assertThat(page.locator("h1")).hasText(way[1]);
        }
    }

    @Test
    void movesInAListSelectsAndOpens() {
        Page page = browsing.open("jobs?q=type%3Awaits");
        assertThat(page.locator("tr[data-row]")).hasCount(3);
        page.keyboard().press("j");
        page.keyboard().press("j");
        page.keyboard().press("j");
        page.keyboard().press("k");
        assertThat(page.locator("tr[data-row]").nth(1).locator("[data-open]")).isFocused();
        page.keyboard().press("x");
        assertThat(page.getByText("1 selected")).isVisible();
        assertThat(page.locator("tr[data-row]").nth(1).locator("input")).isChecked();
        page.keyboard().press("Enter");
        assertThat(page.locator("h1")).hasText("waits");
    }

    @ParameterizedTest
    @CsvSource({"''", "jobs", "nodes"})
    void searchesFromEveryPage(String path) {
        Page page = browsing.open(path);
        page.keyboard().press("/");
        assertThat(page.locator("#search")).isFocused();
        assertThat(page.locator("#search")).hasValue("");
    }

    @Test
    void showsWhatTheKeysDoAndTurnsThemOff() {
        Page page = browsing.open("");
        page.keyboard().press("?");
        assertThat(page.getByRole(AriaRole.DIALOG)).containsText("Search jobs");
        page.getByLabel("Use these keys").uncheck();
        page.keyboard().press("Escape");
        assertThat(page.getByRole(AriaRole.DIALOG)).hasCount(0);
        page.keyboard().press("?");
        page.keyboard().press("g");
        page.keyboard().press("q");
        assertThat(page.getByRole(AriaRole.DIALOG)).hasCount(0);
        assertThat(page.locator("h1")).hasText("Overview");
    }

    @Test
    void skipsToTheContent() {
        Page page = browsing.open("queues");
        page.keyboard().press("Tab");
        page.keyboard().press("Enter");
        assertThat(page.locator("main")).isFocused();
        assertThat(page).hasURL(browsing.shop().url("queues"));
    }

    @Test
    void readsChartsPointByPoint() {
        Page page = browsing.open("");
        Locator throughput = page.getByLabel("Throughput, per minute");
        assertThat(throughput).hasAttribute("aria-valuetext", Pattern.compile(".*: completed .*"));
        throughput.focus();
        page.keyboard().press("ArrowLeft");
        assertThat(page.locator(".reading-time").first()).not().isEmpty();
    }
}
