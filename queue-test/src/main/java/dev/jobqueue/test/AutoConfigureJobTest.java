package dev.jobqueue.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.boot.test.context.PropertyMapping;
import org.springframework.context.annotation.Import;

/**
 * Adds the queue and a {@link JobTester} to a test: beside {@code @SpringBootTest}, {@code @DataJpaTest},
 * {@code @JdbcTest} or another slice with a {@code DataSource}. The worker of the application is off.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
@Import(JobTestImports.class)
@PropertyMapping
public @interface AutoConfigureJobTest {

    /**
     * Whether the worker of the application runs too. It sees what is committed, at the real time.
     *
     * @return {@code true} to let it run
     */
    @PropertyMapping("queue.worker.enabled")
    boolean worker() default false;
}
