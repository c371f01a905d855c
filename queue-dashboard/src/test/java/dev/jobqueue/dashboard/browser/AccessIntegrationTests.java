package dev.jobqueue.dashboard.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.Page;
import dev.jobqueue.Job;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class AccessIntegrationTests {

    /** Whatever is there to press, but for what copies or shows more. */
    private static final String ACTIONS = "main button:not(.icon-only, .link), main a[href=publish]";

    @RegisterExtension
    static final Browsing browsing = new Browsing("server.servlet.context-path=/shop");

    private static UUID publishForLater(Object payload) {
        return browsing.shop().publisher().publish(Job.of("kept", payload).delay(Duration.ofHours(1)));
    }

    @Test
    void worksBelowAContextPath() {
        UUID id = publishForLater(1);
        Page page = browsing.open("jobs");
        page.locator("tr[data-row] [data-open]").first().click();
        assertThat(page.locator("h1")).hasText("kept");
        page.reload();
        assertThat(page.locator("h1")).hasText("kept");
        assertThat(page.url()).contains("/shop/queues/jobs/");
        page.navigate(browsing.shop().url("jobs/" + id));
        assertThat(page.locator(".id-full code")).hasText(id.toString());
    }

    @Test
    void showsNoActionsToThoseWhoMayOnlyLook() {
        UUID id = publishForLater(1);
        browsing.signIn(Shop.VIEWER);
        for (String path : new String[] {"jobs", "jobs/" + id, "queues", "schedules", "dead", "audit", "publish"}) {
            Page page = browsing.open(path);
            assertThat(page.locator(".side")).containsText("read only");
            assertThat(page.locator("main").locator("table, .empty, .job-line").first())
                    .isVisible();
            assertThat(page.locator(ACTIONS)).hasCount(0);
            assertThat(page.locator("tbody input[type=checkbox]")).hasCount(0);
        }
    }

    /** By the form, as people do: then a session that is over must not make the browser itself ask for a password. */
    @Test
    void saysThatTheSessionIsOverAndGoesOnAfterTheNextLogin() {
        try (BrowserContext someone = browsing.page().context().browser().newContext()) {
            someone.setDefaultTimeout(Browsing.PATIENCE);
            Page page = signIn(someone);
            assertThat(page.locator(".condition")).hasText("Live");
            someone.clearCookies();
            page.getByText("Audit").click();
            assertThat(page.locator("main .refused")).containsText("You are signed out");
            for (int i = 0; i < 2; i++) {
                // no stream says that all is well
                page.waitForResponse(each -> each.url().endsWith("/api/overview") && each.status() == 401, () -> {});
            }
            assertThat(page.locator(".condition")).containsText("Stale");

            signIn(someone);
            page.bringToFront();
            assertThat(page.locator(".condition")).hasText("Live");
            assertThat(page.locator("main .refused")).hasCount(0);
        }
    }

    private static Page signIn(BrowserContext someone) {
        Page page = someone.newPage();
        page.navigate(browsing.shop().url("queues"));
        page.locator("[name=username]").fill(Shop.OPERATOR);
        page.locator("[name=password]").fill(Shop.PASSWORD);
        page.locator("button[type=submit]").click();
        assertThat(page.locator("h1")).hasText("Queues");
        return page;
    }

    @Test
    void showsAPayloadOfScriptAsText() {
        String script = "<script>document.title = 'taken'</script><img src=x onerror=\"document.title='taken'\">";
        UUID id = publishForLater(Map.of("name", script, script, 1));
        Page page = browsing.open("jobs/" + id);
        assertThat(page.locator(".tree")).containsText(script);
        assertThat(page.locator("main img, main script")).hasCount(0);
        assertThat(page).hasTitle("kept · Queue");
    }

    @Test
    void staysQuickWithAPayloadOfAMebibyte() {
        UUID id = publishForLater(Map.of("text", "x".repeat(1024 * 1024 - 20)));
        Page page = browsing.open("jobs/" + id);
        assertThat(page.locator("main").getByText("1 MiB")).isVisible();
        assertThat(((Number) page.evaluate("document.querySelector('main').textContent.length")).intValue())
                .isLessThan(100_000);
    }
}
