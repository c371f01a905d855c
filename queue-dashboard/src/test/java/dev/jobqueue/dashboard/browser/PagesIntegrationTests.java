package dev.jobqueue.dashboard.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.deque.html.axecore.playwright.AxeBuilder;
import com.deque.html.axecore.results.Rule;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Page.GetByRoleOptions;
import com.microsoft.playwright.options.AriaRole;
import com.microsoft.playwright.options.ColorScheme;
import dev.jobqueue.Job;
import dev.jobqueue.JobState;
import dev.jobqueue.LimitDefinition;
import dev.jobqueue.Rate;
import dev.jobqueue.dashboard.browser.ShopHandlers.Invoice;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PagesIntegrationTests {

    @RegisterExtension
    static final Browsing browsing = new Browsing();

    private static UUID report = new UUID(0, 0);
    private static UUID dead = new UUID(0, 0);
    private static UUID waiting = new UUID(0, 0);

    @BeforeAll
    static void fillTheShop() {
        Shop shop = browsing.shop();
        for (int i = 0; i < 60; i++) {
            shop.publisher().publish(Job.of("order.remind", i).delay(Duration.ofHours(1 + i)));
        }
        shop.publisher().publish(Job.of("invoice.send", new Invoice(1, "ada@example.org")));
        dead = shop.publisher()
                .publish(Job.of("invoice.send", new Invoice(2, "fail@example.org"))
                        .queue("mail"));
        shop.publisher().publish(Job.of("crm.sync", List.of()));
        report = shop.publisher()
                .publish(Job.of("report.build", List.of("orders"))
                        .queue("reports")
                        .uniqueKey("r-7"));
        shop.handlers().progress(report, 40, "counting orders");
        shop.handlers().log(report, "Section 1 has 312 rows");
        shop.handlers().step(report, "collect", 18_230);
        shop.operations().limits().set(LimitDefinition.ofRunning("crm", 2).rate(Rate.of("100/10s")));
        shop.operations().limits().useForType("account.sync", Map.of("crm", "account"));
        waiting = shop.publisher().publish(Job.of("account.sync", Map.of("account", "acc-7")));
        shop.operations().pause("webhooks");
        Waiting.until(JobState.DEAD, 1, shop);
        Waiting.until(JobState.RUNNING, 1, shop);
        Waiting.until(JobState.COMPLETED, 1, shop);
    }

    @ParameterizedTest
    @CsvSource(textBlock = """
                    '', Overview, crm.sync
                    queues, Queues, webhooks
                    jobs, Jobs, report.build
                    jobs?q=state%3Ascheduled, Jobs, order.remind
                    jobs/REPORT, report.build, counting orders
                    jobs/DEAD, invoice.send, The mail server does not like
                    dead, Dead letters, The mail server does not like
                    lanes, Lanes, account.sync by account
                    lanes?limit=crm, Lanes of crm, acc-7
                    jobs/WAITING, account.sync, Waits for its limits
                    schedules, Schedules, orders.tidy
                    nodes, Nodes, Live
                    audit, Audit, Nobody has acted yet
                    publish, Publish a job, Payload
                    nowhere, No such page, There is no such page
                    """)
    void showsRealDataAndHasNoBarriers(String path, String heading, String content) {
        Page page = browsing.open(filled(path));
        assertThat(page.locator("h1")).hasText(heading);
        assertThat(page.locator("main").getByText(content).first()).isVisible();
        for (ColorScheme theme : List.of(ColorScheme.LIGHT, ColorScheme.DARK)) {
            page.emulateMedia(new Page.EmulateMediaOptions().setColorScheme(theme));
            assertThat(new AxeBuilder(page).analyze().getViolations())
                    .as("barriers of '%s' in %s", path, theme)
                    .extracting(PagesIntegrationTests::told)
                    .isEmpty();
        }
    }

    private static String told(Rule rule) {
        return "%s: %s %s"
                .formatted(rule.getId(), rule.getHelp(), rule.getNodes().get(0).getHtml());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "queues",
                "jobs",
                "jobs/REPORT",
                "jobs/DEAD",
                "dead",
                "lanes",
                "lanes?limit=crm",
                "schedules",
                "nodes",
                "audit",
                "publish"
            })
    void fitsASmallScreen(String path) {
        browsing.page().setViewportSize(360, 740);
        Page page = browsing.open(filled(path));
        assertThat(page.locator("main")).isVisible();
        assertThat(page.evaluate("document.documentElement.scrollWidth")).isEqualTo(360);
    }

    @Test
    void hasAWayFromPageToPageAndBack() {
        Page page = browsing.open("");
        page.getByRole(AriaRole.NAVIGATION, new GetByRoleOptions().setName("Pages"))
                .getByText("Dead letters")
                .click();
        assertThat(page.locator("h1")).hasText("Dead letters");
        page.getByText("The mail server does not like").first().click();
        assertThat(page.locator("h1")).hasText("Jobs");
        page.locator("tr[data-row] [data-open]").click();
        assertThat(page.locator("h1")).hasText("invoice.send");
        assertThat(page.locator(".id-full code")).hasText(dead.toString());
        page.goBack();
        assertThat(page.locator("h1")).hasText("Jobs");
        page.goBack();
        page.goBack();
        assertThat(page.locator("h1")).hasText("Overview");
        assertThat(page).hasURL(browsing.shop().url(""));
    }

    @Test
    void goesThroughManyJobsPageByPage() {
        Page page = browsing.open("jobs?q=state%3Ascheduled");
        assertThat(page.locator("tr[data-row]")).hasCount(50);
        assertThat(page.getByText("60 jobs match")).isVisible();
        page.getByText("Next page").click();
        assertThat(page.locator("tr[data-row]")).hasCount(10);
        page.getByText("First page").click();
        assertThat(page.locator("tr[data-row]")).hasCount(50);
    }

    @Test
    void findsJobsByTheirWordsAndCompletesThem() {
        Page page = browsing.open("jobs");
        page.locator("#search").pressSequentially("state:de");
        page.getByRole(AriaRole.OPTION).getByText("dead").click();
        page.locator("#search").pressSequentially("type:inv");
        assertThat(page.getByRole(AriaRole.OPTION).getByText("invoice.send")).isVisible();
        page.keyboard().press("ArrowDown");
        page.keyboard().press("Enter");
        assertThat(page.locator("#search")).hasValue("state:dead type:invoice.send ");
        page.keyboard().press("Enter");
        assertThat(page.locator("tr[data-row]")).hasCount(1);
        page.locator("#search").fill(report.toString());
        page.keyboard().press("Enter");
        assertThat(page.locator("h1")).hasText("report.build");
    }

    @Test
    void saysWhichWordItDoesNotKnow() {
        Page page = browsing.open("jobs?q=colour%3Ared");
        assertThat(page.getByRole(AriaRole.ALERT)).containsText("colour");
    }

    @Test
    void keepsTheChosenTheme() {
        Page page = browsing.open("");
        page.getByLabel("Theme: system").click();
        page.getByLabel("Theme: light").click();
        page.reload();
        assertThat(page.getByLabel("Theme: dark")).isVisible();
        assertThat(page.evaluate("getComputedStyle(document.body).colorScheme")).isEqualTo("dark");
    }

    private static String filled(String path) {
        return path.replace("REPORT", report.toString())
                .replace("DEAD", dead.toString())
                .replace("WAITING", waiting.toString());
    }
}
