package dev.jobqueue.dashboard.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Page;
import dev.jobqueue.Job;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class LayoutIntegrationTests {

    @RegisterExtension
    static final Browsing browsing = new Browsing();

    private static final String TEXTS_THAT_LEAVE_THEIR_CELL = """
            () => [...document.querySelectorAll('td, th')]
                .filter(each => each.scrollWidth > each.clientWidth)
                .map(each => each.textContent.trim())""";

    private static final String NAME_IS_BEFORE_ID = """
            () => document.querySelector('th [data-open]').getBoundingClientRect().left
                < document.querySelector('th .id').getBoundingClientRect().left""";

    @BeforeAll
    static void publishWhatNobodyHandles() {
        Instant due = Instant.now().minus(Duration.ofMinutes(58));
        for (int i = 0; i < 9; i++) {
            browsing.shop().publisher().publish(Job.of("nobody." + i, i).runAt(due));
        }
        browsing.shop().publisher().publish(Job.of("\u202eturned", 1));
    }

    @Test
    void showsSomeProblemsAndTheRestOnDemand() {
        Page page = browsing.open("");
        assertThat(page.getByText("5 more")).isVisible();
        assertThat(page.locator(".problems li:visible")).hasCount(5);
        assertThat(page.locator(".tiles")).isInViewport();
        page.getByText("5 more").click();
        assertThat(page.locator(".problems li:visible")).hasCount(10);
    }

    @Test
    void keepsTextsInTheirCells() {
        for (int width : List.of(360, 768, 1024, 1440)) {
            browsing.page().setViewportSize(width, 900);
            Page page = browsing.open("jobs");
            assertThat(page.locator("tbody").getByText("due 58 min ago").first())
                    .isAttached();
            assertThat(page.evaluate(TEXTS_THAT_LEAVE_THEIR_CELL)).isEqualTo(List.of());
        }
    }

    @Test
    void letsANameTurnNoTextButItself() {
        Page page = browsing.open("jobs?q=type:%E2%80%AEturned");
        assertThat(page.locator("tr[data-row]")).hasCount(1);
        assertThat(page.evaluate(NAME_IS_BEFORE_ID)).isEqualTo(true);
    }
}
