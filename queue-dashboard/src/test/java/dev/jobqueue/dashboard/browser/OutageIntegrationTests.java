package dev.jobqueue.dashboard.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;

import com.microsoft.playwright.Browser.NewContextOptions;
import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.Page;
import dev.jobqueue.Job;
import dev.jobqueue.postgres.Cable;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Somebody who signed in with a form, while the database is away. */
class OutageIntegrationTests {

    @RegisterExtension
    static final Browsing browsing = new Browsing();

    @Test
    void isToldAndThePageRecoversWithoutSigningInAgain() throws Exception {
        try (Cable cable = Cable.to(Browsing.database());
                Shop shop = Shop.start(
                        Browsing.database(),
                        "spring.datasource.url=" + cable.jdbcUrl(Browsing.database()),
                        "spring.datasource.hikari.connection-timeout=1000");
                BrowserContext visitor = browsing.page()
                        .context()
                        .browser()
                        .newContext(new NewContextOptions().setViewportSize(1440, 900))) {
            visitor.setDefaultTimeout(Browsing.PATIENCE);
            Page page = visitor.newPage();
            page.navigate(shop.url("jobs?q=queue:kept"));
            page.getByLabel("Username").fill(Shop.OPERATOR);
            page.getByLabel("Password").fill(Shop.PASSWORD);
            page.locator("button[type=submit]").click();
            assertThat(page.locator(".condition")).hasText("Live");
            shop.publisher().publish(Job.of("later", 1).queue("kept").delay(Duration.ofHours(1)));
            assertThat(page.locator("table.jobs tbody tr")).hasCount(1);

            cable.cut();
            assertThat(page.locator(".condition")).containsText("Stale: The database does not answer.");
            assertThat(page.locator("table.jobs tbody tr")).hasCount(1);
            page.locator("nav.pages a[href=dead]").click();
            assertThat(page.locator("h1")).hasText("Dead letters");
            assertThat(page.locator(".refused")).containsText("The database does not answer.");

            cable.repair();
            assertThat(page.locator(".condition")).hasText("Live");
            assertThat(page.locator(".empty-title")).hasText("No dead letters");
            page.locator("nav.pages a[href=jobs]").click();
            assertThat(page.locator("table.jobs tbody tr").first()).isVisible();
        }
    }
}
