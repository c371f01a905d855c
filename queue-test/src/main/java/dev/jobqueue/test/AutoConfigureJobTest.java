package dev.jobqueue.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.boot.test.context.PropertyMapping;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.TestPropertySource;

/**
 * Adds the queue and a {@link JobTester} to a test: beside {@code @SpringBootTest}, {@code @DataJpaTest},
 * {@code @JdbcTest} or another slice with a {@code DataSource}. The worker of the application is off. Messages for
 * brokers are published and not sent: a test with a broker sets {@code queue.forward.kafka.enabled} or {@code
 * queue.forward.rabbit.enabled} by {@code @TestPropertySource}.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
@Import(JobTestImports.class)
@PropertyMapping
@TestPropertySource(
        properties = {
            "queue.worker.direct=false", // what its worker has at once, no tester can claim
            "queue.forward.kafka.enabled=false", // a test would wait for a broker that is down, as a node does
            "queue.forward.rabbit.enabled=false"
        })
public @interface AutoConfigureJobTest {

    /**
     * Whether the worker of the application runs too. It sees what is committed, at the time of the test. Its threads
     * wait by the real time and do not notice that a test moves it: {@link JobTester#advance} handles what falls due.
     *
     * @return {@code true} to let it run
     */
    @PropertyMapping("queue.worker.enabled")
    boolean worker() default false;
}
