package dev.jobqueue.test;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.test.context.ContextConfigurationAttributes;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.ContextCustomizerFactory;
import org.springframework.test.context.MergedContextConfiguration;
import org.springframework.test.context.TestContextAnnotationUtils;

/** Sets where the database is for tests with {@link JobDatabase}. */
final class JobDatabaseCustomizerFactory implements ContextCustomizerFactory {

    @Override
    public @Nullable ContextCustomizer createContextCustomizer(
            Class<?> testClass, List<ContextConfigurationAttributes> attributes) {
        JobDatabase annotation = TestContextAnnotationUtils.findMergedAnnotation(testClass, JobDatabase.class);
        return annotation == null ? null : new Customizer(annotation.image());
    }

    /** Equal for equal images, so that contexts are shared. */
    private record Customizer(String image) implements ContextCustomizer {

        private static final String MIGRATE = "queue.schema.migrate=";

        @Override
        public void customizeContext(ConfigurableApplicationContext context, MergedContextConfiguration merged) {
            JobDatabaseServer server = JobDatabaseServer.get(image);
            TestPropertyValues.of(
                            "spring.datasource.url=" + server.url(),
                            "spring.datasource.username=" + server.username(),
                            "spring.datasource.password=" + server.password(),
                            // a slice would replace it by a database in memory
                            "spring.test.database.replace=none")
                    // no DBA has been here, whatever the application says of production
                    .and(isSetBy(merged) ? new String[0] : new String[] {MIGRATE + true})
                    .applyTo(context);
        }

        private static boolean isSetBy(MergedContextConfiguration test) {
            return Arrays.stream(test.getPropertySourceProperties()).anyMatch(each -> each.startsWith(MIGRATE));
        }
    }
}
