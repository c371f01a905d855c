package dev.jobqueue.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.test.autoconfigure.OverrideAutoConfiguration;
import org.springframework.boot.test.context.filter.annotation.TypeExcludeFilters;
import org.springframework.context.annotation.ComponentScan.Filter;
import org.springframework.core.annotation.AliasFor;
import org.springframework.test.context.BootstrapWith;
import org.springframework.test.context.junit.jupiter.SpringExtension;
import org.springframework.transaction.annotation.Transactional;

/**
 * A test of jobs alone: the queue, JDBC, and the components it names. Each test method runs in a transaction that is
 * rolled back; the worker of the application is off, and a {@link JobTester} runs the jobs.
 *
 * <pre>{@code
 * @JobTest({OrderService.class, InvoiceHandler.class})
 * class InvoiceTests {
 *     @Autowired JobTester jobs;
 * }
 * }</pre>
 *
 * <p>It needs a PostgreSQL: {@link JobDatabase}, a container with {@code @ServiceConnection}, or {@code
 * spring.datasource.url}.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
@BootstrapWith(JobTestContextBootstrapper.class)
@ExtendWith(SpringExtension.class)
@OverrideAutoConfiguration(enabled = false)
@TypeExcludeFilters(JobTypeExcludeFilter.class)
@Transactional
@ImportAutoConfiguration
@AutoConfigureJobTest
public @interface JobTest {

    /**
     * The components of the application that the test needs: handlers, and the services that they or the test call.
     *
     * @return the classes
     */
    @AliasFor("components")
    Class<?>[] value() default {};

    /**
     * The same as {@link #value()}.
     *
     * @return the classes
     */
    @AliasFor("value")
    Class<?>[] components() default {};

    /**
     * Properties of the test, in the form {@code key=value}.
     *
     * @return the properties
     */
    String[] properties() default {};

    /**
     * Whether {@code @SpringBootApplication} adds components by default; there are none.
     *
     * @return {@code false} to leave them out
     */
    boolean useDefaultFilters() default true;

    /**
     * More components, by filter.
     *
     * @return the filters
     */
    Filter[] includeFilters() default {};

    /**
     * Components to leave out, by filter.
     *
     * @return the filters
     */
    Filter[] excludeFilters() default {};

    /**
     * Auto-configurations to leave out.
     *
     * @return the classes
     */
    @AliasFor(annotation = ImportAutoConfiguration.class, attribute = "exclude")
    Class<?>[] excludeAutoConfiguration() default {};
}
