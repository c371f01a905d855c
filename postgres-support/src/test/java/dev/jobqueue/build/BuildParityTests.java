package dev.jobqueue.build;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BuildParityTests {

    private static final BuildFiles PROJECT = BuildFiles.ofThisProject();
    private static final List<String> DIFFERENCES = PROJECT.differences();

    @Test
    void findsTheTwoBuildsEqual() {
        assertThat(DIFFERENCES)
                .withFailMessage(() -> "Maven and Gradle differ:\n  " + String.join("\n  ", DIFFERENCES))
                .isEmpty();
    }

    @Nested
    class WhenOneThingChanges {

        @TempDir
        private Path directory;

        private BuildFiles copy;

        @BeforeEach
        void copyTheBuildFiles() throws IOException {
            copy = PROJECT.copyTo(directory);
        }

        private List<String> newDifferences() {
            List<String> lines = new ArrayList<>(copy.differences());
            DIFFERENCES.forEach(lines::remove);
            return lines;
        }

        private void reports(String... parts) {
            assertThat(newDifferences()).anySatisfy(line -> assertThat(line).contains(parts));
        }

        @Test
        void reportsAVersionChangedOnlyInTheCatalog() throws IOException {
            copy.change("gradle/libs.versions.toml", "(?m)^jspecify = \".*\"", "jspecify = \"0.1\"");
            reports("version of 'jspecify': pom.xml has '", "', gradle/libs.versions.toml has '0.1'");
        }

        @Test
        void reportsAVersionThatOnlyTheCatalogHas() throws IOException {
            copy.change("gradle/libs.versions.toml", "# Gradle only", "novelty = \"1\"\n# Gradle only");
            reports("version of 'novelty': pom.xml has nothing, gradle/libs.versions.toml has '1'");
        }

        @Test
        void reportsAVersionThatOnlyMavenHas() throws IOException {
            copy.change("pom.xml", "<archunit.version>", "<novelty.version>1</novelty.version>$0");
            reports("version of 'novelty': pom.xml has '1', gradle/libs.versions.toml has nothing");
        }

        @Test
        void acceptsAVersionThatIsMarkedAsGradleOnly() throws IOException {
            copy.change("gradle/libs.versions.toml", "# Gradle only", "$0\nnovelty = \"1\"");
            assertThat(newDifferences()).isEmpty();
        }

        @Test
        void reportsOtherPostgresBinaries() throws IOException {
            copy.change("pom.xml", "<postgres.binaries>.*<", "<postgres.binaries>\\${postgres17.version}<");
            reports("PostgreSQL binaries: pom.xml has 'postgres17', gradle/libs.versions.toml has 'postgres18'");
        }

        @Test
        void reportsADuplicateInTheCatalog() throws IOException {
            copy.change("gradle/libs.versions.toml", "(?m)^slf4j-api = .*$", "$0\n$0");
            reports("gradle/libs.versions.toml: 'slf4j-api' stands more than once in [libraries]");
        }

        @Test
        void reportsADependencyDroppedFromGradle() throws IOException {
            copy.change("queue-core/build.gradle.kts", "api\\(libs.slf4j.api\\)\n", "\n");
            reports("'org.slf4j:slf4j-api': queue-core/pom.xml has 'compile', queue-core/build.gradle.kts has nothing");
        }

        @Test
        void reportsADependencyThatOnlyGradleHas() throws IOException {
            copy.change("queue-core/build.gradle.kts", "dependencies \\{", "$0\n    api(libs.spring.boot.jdbc)");
            reports("spring-boot-jdbc': queue-core/pom.xml has nothing, queue-core/build.gradle.kts has 'api'");
        }

        @Test
        void reportsAnAliasThatIsNotInTheCatalog() throws IOException {
            copy.change("queue-core/build.gradle.kts", "dependencies \\{", "$0\n    api(libs.novelty)");
            reports("'libs.novelty (not in the catalog)'", "queue-core/build.gradle.kts has 'api'");
        }

        @Test
        void reportsALineThatItCannotRead() throws IOException {
            copy.change("queue-core/build.gradle.kts", "dependencies \\{", "$0\n    add some novelty");
            reports("queue-core/build.gradle.kts: cannot read 'add some novelty'");
        }

        @Test
        void reportsAChangedScope() throws IOException {
            copy.change("queue-core/build.gradle.kts", "api\\(libs.slf4j.api\\)", "runtimeOnly(libs.slf4j.api)");
            reports("slf4j-api': queue-core/pom.xml has 'compile', queue-core/build.gradle.kts has 'runtimeOnly'");
        }

        @Test
        void reportsAVersionThatOneModuleOfMavenChanges() throws IOException {
            copy.change("queue-core/pom.xml", "<artifactId>slf4j-api</artifactId>", "$0<version>1</version>");
            reports("version of 'org.slf4j:slf4j-api': queue-core/pom.xml has '1'");
        }

        @Test
        void reportsAVersionThatOneLibraryOfTheCatalogChanges() throws IOException {
            copy.change(
                    "gradle/libs.versions.toml", "module = \"org.springframework:spring-jdbc\"", "$0, version = \"1\"");
            reports("version of 'org.springframework:spring-jdbc'", "queue-core/build.gradle.kts has '1'");
        }

        @Test
        void reportsAPlatformWithoutItsBinaries() throws IOException {
            copy.change("postgres-support/build.gradle.kts", "(?m)^ +arm -> runtimeOnly.*$", "");
            reports("linux-arm64v8': postgres-support/pom.xml has 'runtime'", "build.gradle.kts has nothing");
        }

        @Test
        void reportsADroppedExclusion() throws IOException {
            copy.change("sample-app/build.gradle.kts", "exclude\\(.*\\)", "");
            reports("exclusion from 'dev.jobqueue:postgres-support': sample-app/pom.xml has 'org.testcontainers'");
        }

        @Test
        void acceptsAnOptionalDependencyThatGradleRepeatsForTheTests() throws IOException {
            makeOptional("compileOnly(libs.slf4j.api)\n    testImplementation(libs.slf4j.api)");
            assertThat(newDifferences()).isEmpty();
        }

        @Test
        void reportsAnOptionalDependencyThatGradleRepeatsElsewhere() throws IOException {
            makeOptional("compileOnly(libs.slf4j.api)\n    runtimeOnly(libs.slf4j.api)");
            reports("queue-core/pom.xml has 'compile optional'", "has 'compileOnly + runtimeOnly'");
        }

        private void makeOptional(String inGradle) throws IOException {
            copy.change("queue-core/pom.xml", "<artifactId>slf4j-api</artifactId>", "$0<optional>true</optional>");
            copy.change("queue-core/build.gradle.kts", "api\\(libs.slf4j.api\\)", inGradle);
        }

        @Test
        void reportsAModuleMissingInTheSettings() throws IOException {
            copy.change("settings.gradle.kts", "include\\(\"sample-app\"\\)", "");
            reports("module: pom.xml has 'sample-app', settings.gradle.kts has nothing");
        }

        @Test
        void reportsAnotherPublishedModule() throws IOException {
            copy.change("build.gradle.kts", "val published = mapOf\\(", "$0\"sample-app\" to \"Shop\",");
            reports("published module: */pom.xml has nothing, build.gradle.kts has 'sample-app'");
        }

        @Test
        void reportsAMissingProcessor() throws IOException {
            String module = "queue-spring-boot-autoconfigure";
            copy.change(module + "/build.gradle.kts", "annotationProcessor\\(.*configuration.processor\\)", "");
            reports(
                    "annotation processor: " + module + "/pom.xml has ",
                    "spring-boot-configuration-processor:",
                    module + "/build.gradle.kts has nothing");
        }

        @Test
        void reportsAMissingLintArgumentForMainAndTest() throws IOException {
            copy.change("build.gradle.kts", "\"-Xlint:.*\",", "");
            assertThat(newDifferences())
                    .hasSize(2)
                    .allMatch(line ->
                            line.contains("pom.xml has '-Xlint:all,-processing', build.gradle.kts has nothing"));
        }

        @Test
        void reportsAnErrorProneOptionThatDiffersForTheTests() throws IOException {
            copy.change("build.gradle.kts", "-Xep:NullAway:OFF", "-Xep:NullAway:WARN");
            reports("compiler argument for test: pom.xml has", "NullAway:OFF', build.gradle.kts has", "NullAway:WARN'");
        }

        @Test
        void reportsAMissingExportOfTheCompiler() throws IOException {
            copy.change("build.gradle.kts", "\"model\", ", "");
            reports("access to the compiler: .mvn/jvm.config has '--add-exports=", "javac.model=");
        }

        @Test
        void reportsAnotherFormatter() throws IOException {
            copy.change("build.gradle.kts", "palantirJavaFormat\\(.*\\)", "googleJavaFormat(\"1.0\")");
            reports("formatter: pom.xml has 'palantirJavaFormat ", "build.gradle.kts has 'googleJavaFormat 1.0'");
        }

        @Test
        void reportsAnotherTestPattern() throws IOException {
            copy.change("build.gradle.kts", "\\*Tests.class", "*Test.class");
            reports("test pattern: pom.xml has '**/*Tests', build.gradle.kts has '**/*Test'");
        }

        @Test
        void reportsOtherJvmsOfTheTests() throws IOException {
            copy.change("build.gradle.kts", "maxParallelForks = \\d+", "maxParallelForks = 7");
            reports("JVM of the tests: pom.xml has '", "', build.gradle.kts has '7'");
        }

        @Test
        void reportsAnotherJavaRelease() throws IOException {
            copy.change("build.gradle.kts", "options.release = \\d+", "options.release = 8");
            reports("Java release: pom.xml has '", "', build.gradle.kts has '8'");
        }

        @Test
        void reportsAMissingWrapperAndAnOldOne() throws IOException {
            copy.change("gradle/wrapper/gradle-wrapper.properties", "gradle-9\\.", "gradle-8.");
            Files.delete(directory.resolve("gradlew"));
            assertThat(newDifferences())
                    .hasSize(2)
                    .anyMatch(line -> line.contains("'gradlew' is missing"))
                    .anyMatch(line -> line.contains("gradle-8."));
        }
    }
}
