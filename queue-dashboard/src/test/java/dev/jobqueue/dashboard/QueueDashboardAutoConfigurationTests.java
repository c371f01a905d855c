package dev.jobqueue.dashboard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

import dev.jobqueue.operate.JobAudit;
import dev.jobqueue.operate.JobOperations;
import jakarta.servlet.Filter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.security.web.csrf.CsrfToken;
import org.springframework.web.servlet.DispatcherServlet;

@ExtendWith(OutputCaptureExtension.class)
class QueueDashboardAutoConfigurationTests {

    private final WebApplicationContextRunner application = new WebApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(QueueDashboardAutoConfiguration.class))
            .withBean(JobOperations.class, () -> mock(JobOperations.class))
            .withBean(JobAudit.class, () -> mock(JobAudit.class));

    @Test
    void servesThisMachineWhereThereIsNoSpringSecurity() {
        application
                .withClassLoader(new FilteredClassLoader(CsrfToken.class))
                .run(context ->
                        assertThat(context).hasBean("queueDashboardMapping").hasSingleBean(LoopbackAccess.class));
    }

    @Test
    void asksForRolesWhereThereIs() {
        application
                .withBean("springSecurityFilterChain", Filter.class, () -> mock(Filter.class))
                .run(context -> assertThat(context).hasSingleBean(RoleAccess.class));
    }

    @Test
    void isOffWhereItIsToldSoOrHasNothingToShow() {
        application
                .withPropertyValues("queue.dashboard.enabled=false")
                .run(context -> assertThat(context).doesNotHaveBean("queueDashboardMapping"));
        application
                .withClassLoader(new FilteredClassLoader(DispatcherServlet.class))
                .run(context -> assertThat(context).doesNotHaveBean("queueDashboardMapping"));
        new WebApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(QueueDashboardAutoConfiguration.class))
                .run(context -> assertThat(context).doesNotHaveBean("queueDashboardMapping"));
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(QueueDashboardAutoConfiguration.class))
                .withBean(JobOperations.class, () -> mock(JobOperations.class))
                .run(context -> assertThat(context).doesNotHaveBean("queueDashboardMapping"));
    }

    @Test
    void saysThatThereIsNoneWithWebFlux(CapturedOutput output) {
        ReactiveWebApplicationContextRunner reactive = new ReactiveWebApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        QueueDashboardAutoConfiguration.class, NoDashboardAutoConfiguration.class))
                .withBean(JobOperations.class, () -> mock(JobOperations.class))
                .withBean(JobAudit.class, () -> mock(JobAudit.class));
        reactive.withPropertyValues("queue.dashboard.enabled=false")
                .run(context -> assertThat(context).hasNotFailed());
        application
                .withConfiguration(AutoConfigurations.of(NoDashboardAutoConfiguration.class))
                .run(context -> assertThat(context).hasNotFailed());
        assertThat(output).doesNotContain("WebFlux");

        reactive.run(context -> assertThat(context).doesNotHaveBean("queueDashboardMapping"));
        assertThat(output).containsOnlyOnce("it needs Spring MVC, and this application uses WebFlux");
    }

    @Test
    void refusesPropertiesThatMeanNothing() {
        application
                .withPropertyValues("queue.dashboard.path=queues/")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessageContaining("queue.dashboard.path is 'queues/'"));
        application
                .withPropertyValues("queue.dashboard.readonly-mode=true")
                .run(context -> assertThat(context).hasFailed());
    }

    @Test
    void takesItsFilesAlongIntoNativeImages() {
        RuntimeHints hints = new RuntimeHints();
        new DashboardHints().registerHints(hints, getClass().getClassLoader());
        assertThat(RuntimeHintsPredicates.resource().forResource(Assets.FOLDER + "index.html"))
                .accepts(hints);
    }
}
