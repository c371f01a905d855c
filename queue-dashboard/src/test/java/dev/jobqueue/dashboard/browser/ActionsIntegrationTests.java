package dev.jobqueue.dashboard.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Page.GetByRoleOptions;
import com.microsoft.playwright.options.AriaRole;
import dev.jobqueue.Job;
import dev.jobqueue.JobState;
import dev.jobqueue.dashboard.browser.ShopHandlers.Invoice;
import dev.jobqueue.operate.JobDetails;
import dev.jobqueue.operate.JobFilter;
import dev.jobqueue.schedule.ScheduleDefinition;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class ActionsIntegrationTests {

    @RegisterExtension
    static final Browsing browsing = new Browsing();

    @Test
    void pausesAndResumesAQueue() {
        browsing.shop().operations().resume("paused-here");
        browsing.shop().publisher().publish(Job.of("none", null).queue("paused-here"));
        Page page = browsing.open("queues");
        button(page, "Pause paused-here").click();
        confirm(page, "Pause");
        assertThat(button(page, "Resume paused-here")).isVisible();
        Waiting.until(() -> isPaused("paused-here"));
        button(page, "Resume paused-here").click();
        confirm(page, "Resume");
        assertThat(button(page, "Pause paused-here")).isVisible();
        assertThat(isPaused("paused-here")).isFalse();
    }

    private static boolean isPaused(String queue) {
        return browsing.shop().operations().queues().stream()
                .anyMatch(each -> each.queue().equals(queue) && each.pausedAt() != null);
    }

    @Test
    void changesTimeAndPriorityOfAJobThatWaitsAndCancelsIt() {
        UUID id = browsing.shop().publisher().publish(Job.of("waits", 1).delay(Duration.ofHours(3)));
        Page page = browsing.open("jobs/" + id);
        button(page, "Priority…").click();
        page.locator("dialog [name=priority]").fill("7");
        confirm(page, "Change");
        Waiting.until(() -> job(id).priority() == 7);
        button(page, "Reschedule…").click();
        page.locator("dialog [name=runAt]").fill("2099-01-01T12:00");
        confirm(page, "Reschedule");
        Waiting.until(() -> job(id).runAt().equals(Instant.parse("2099-01-01T12:00:00Z")));
        button(page, "Cancel").click();
        confirm(page, "Cancel");
        assertThat(page.locator(".job-line")).containsText("Cancelled");
        assertThat(job(id).state()).isEqualTo(JobState.CANCELLED);
    }

    @Test
    void runsAJobNowThatWaitsForItsTime() {
        UUID id = browsing.shop()
                .publisher()
                .publish(Job.of("invoice.send", new Invoice(7, "ada@example.org"))
                        .delay(Duration.ofHours(3)));
        Page page = browsing.open("jobs/" + id);
        button(page, "Run now").click();
        assertThat(page.locator(".job-line")).containsText("Completed");
        assertThat(page.locator(".tree").last()).containsText("\"sent\"");
    }

    @Test
    void asksTheHandlerOfARunningJobToStop() {
        UUID id = browsing.shop().publisher().publish("report.build", List.of());
        Waiting.until(() -> job(id).state() == JobState.RUNNING);
        Page page = browsing.open("jobs/" + id);
        button(page, "Cancel").click();
        confirm(page, "Cancel");
        assertThat(page.locator(".job-line")).containsText("Cancelled");
    }

    @Test
    void replaysAndPurgesOneDeadJob() {
        UUID id = deadInvoice("single");
        Page page = browsing.open("jobs/" + id);
        button(page, "Replay").click();
        assertThat(page.locator(".timeline")).containsText("Attempt 2 threw");
        Waiting.until(() -> job(id).state() == JobState.DEAD);
        assertThat(page.locator(".job-line")).containsText("Dead");
        button(page, "Purge").click();
        confirm(page, "Purge");
        assertThat(page.getByText("No such job")).isVisible();
        assertThat(browsing.shop().operations().find(id)).isEmpty();
    }

    @Test
    void actsOnSelectedRows() {
        for (int i = 0; i < 3; i++) {
            browsing.shop().publisher().publish(Job.of("picked", i).delay(Duration.ofHours(1)));
        }
        Page page = browsing.open("jobs?q=state%3Ascheduled%20type%3Apicked");
        page.locator("tbody input[type=checkbox]").first().check();
        page.locator("tbody input[type=checkbox]").last().check();
        assertThat(page.getByText("2 selected")).isVisible();
        button(page, "Cancel").click();
        confirm(page, "Cancel");
        assertThat(page.getByText("2 jobs cancelled.")).isVisible();
        assertThat(page.locator("tr[data-row]")).hasCount(1);
    }

    @Test
    void actsOnAllThatMatchInTheBackground() {
        for (int i = 0; i < 120; i++) {
            browsing.shop().publisher().publish(Job.of("many", i).delay(Duration.ofHours(1)));
        }
        Page page = browsing.open("jobs?q=state%3Ascheduled%20type%3Amany");
        button(page, "Cancel").click();
        assertThat(page.getByRole(AriaRole.DIALOG)).containsText("120 jobs would be cancelled.");
        confirm(page, "Cancel");
        assertThat(page.locator(".task")).containsText("Done: 120 jobs");
        assertThat(page.locator(".empty")).containsText("No scheduled jobs match");
        assertThat(browsing.shop()
                        .operations()
                        .count(JobFilter.of(JobState.CANCELLED).type("many"))
                        .jobs())
                .isEqualTo(120);
    }

    @Test
    void replaysAndPurgesAGroupOfDeadLetters() {
        deadInvoice("group");
        deadInvoice("group");
        Page page = browsing.open("dead");
        Locator row = page.locator("tr[data-row]").filter(new Locator.FilterOptions().setHasText("group"));
        row.getByText("Replay").click();
        confirm(page, "Replay");
        assertThat(page.locator(".task").last()).containsText("Done");
        Waiting.until(() -> browsing.shop()
                        .operations()
                        .count(JobFilter.of(JobState.DEAD).errorLike("%group%"))
                        .jobs()
                == 2);
        row.getByText("Purge").click();
        confirm(page, "Purge");
        assertThat(row).hasCount(0);
    }

    @Test
    void runsPausesAndResumesASchedule() {
        Page page = browsing.open("schedules");
        button(page, "Run now: orders.tidy").click();
        confirm(page, "Run now");
        assertThat(page.getByText("orders.tidy published a job.")).isVisible();
        button(page, "Pause orders.tidy").click();
        confirm(page, "Pause");
        assertThat(page.getByText("Paused", new Page.GetByTextOptions().setExact(true)))
                .isVisible();
        button(page, "Resume orders.tidy").click();
        confirm(page, "Resume");
        assertThat(button(page, "Pause orders.tidy")).isVisible();
    }

    @Test
    void deletesAScheduleOfRunTime() {
        browsing.shop()
                .schedules()
                .set(ScheduleDefinition.of("for acme", "orders.tidy").cron("0 6 1 * *"));
        Page page = browsing.open("schedules");
        button(page, "Delete for acme").click();
        confirm(page, "Delete");
        assertThat(page.locator("table")).not().containsText("for acme");
        assertThat(button(page, "Delete orders.tidy")).hasCount(0);
    }

    @Test
    void publishesAJobByHand() {
        Page page = browsing.open("publish");
        page.getByLabel("Type", new Page.GetByLabelOptions().setExact(true)).fill("invoice.send");
        page.getByLabel("Payload, as JSON").fill("{");
        button(page, "Publish").click();
        assertThat(page.getByRole(AriaRole.ALERT)).containsText("not JSON");
        page.getByLabel("Payload, as JSON").fill("{\"orderId\": 9007199254740993, \"email\": \"ada@example.org\"}");
        button(page, "Publish").click();
        assertThat(page.locator(".job-line")).containsText("Completed");
        assertThat(page.locator(".tree").last()).containsText("9007199254740993");
    }

    @Test
    void tellsWhoDidWhatAndUndoesIt() {
        UUID id = browsing.shop().publisher().publish(Job.of("told", 1).delay(Duration.ofHours(3)));
        Page page = browsing.open("jobs/" + id);
        button(page, "Priority…").click();
        page.locator("dialog [name=priority]").fill("7");
        confirm(page, "Change");
        assertThat(page.locator(".facts")).containsText("7");
        page.navigate(browsing.shop().url("audit"));
        Locator row = page.locator("tr[data-row]")
                .filter(new Locator.FilterOptions().setHasText(id.toString().substring(28)))
                .last();
        assertThat(row).containsText(Shop.OPERATOR);
        row.getByText("Undo").click();
        confirm(page, "Undo");
        assertThat(row).containsText("Undone");
        assertThat(job(id).priority()).isZero();
    }

    private static UUID deadInvoice(String name) {
        UUID id = browsing.shop()
                .publisher()
                .publish(Job.of("invoice.send", new Invoice(1, "fail@" + name + ".example"))
                        .queue("mail"));
        Waiting.until(() -> job(id).state() == JobState.DEAD);
        return id;
    }

    private static JobDetails job(UUID id) {
        return browsing.shop().operations().find(id).orElseThrow();
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
        assertThat(page.getByRole(AriaRole.DIALOG, new GetByRoleOptions())).hasCount(0);
    }
}
