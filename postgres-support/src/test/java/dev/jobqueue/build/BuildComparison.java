package dev.jobqueue.build;

import static dev.jobqueue.build.Differences.quoted;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;

/** Tells where the Maven and the Gradle build of a directory differ, one line each. */
final class BuildComparison {

    /** Nothing compiles against an application, so its dependencies are not api. */
    private static final String APPLICATION = "sample-app";

    private static final String WRAPPER = "gradle/wrapper/gradle-wrapper.properties";
    private static final List<String> WRAPPER_FILES =
            List.of("gradlew", "gradlew.bat", "gradle/wrapper/gradle-wrapper.jar", WRAPPER);

    private final Path root;
    private final MavenBuild maven;
    private final GradleBuild gradle;
    private final Differences differences = new Differences();

    private BuildComparison(Path root) {
        this.root = root;
        this.maven = new MavenBuild(root);
        this.gradle = new GradleBuild(root);
    }

    static List<String> differences(Path root) {
        BuildComparison comparison = new BuildComparison(root);
        comparison.compare();
        return comparison.differences.lines();
    }

    private void compare() {
        differences.addAll(gradle.problems());
        compareProject();
        compareVersions();
        compareCompiler();
        SortedSet<String> names = new TreeSet<>(maven.moduleNames().values());
        names.retainAll(gradle.moduleNames().values());
        names.forEach(name -> compareModule(maven.module(name), gradle.module(name)));
        checkWrapper();
    }

    private void compareProject() {
        differences.same("module", maven.moduleNames(), gradle.moduleNames());
        differences.same("group", maven.group(), gradle.group());
        differences.same("version", maven.version(), gradle.version());
        differences.same("published module", maven.published(), gradle.published());
        differences.same("test pattern", maven.testPatterns(), gradle.testPatterns());
        differences.same("JVM of the tests", maven.testJvms(), gradle.testJvms());
        differences.same("formatter", maven.formatter(), gradle.formatter());
    }

    private void compareVersions() {
        Map<String, String> mavenVersions = maven.versions();
        Map<String, String> gradleVersions = gradle.catalog().sharedVersions();
        Set<String> names = new TreeSet<>(mavenVersions.keySet());
        names.addAll(gradleVersions.keySet());
        for (String name : names) {
            differences.same(
                    "version of " + quoted(name),
                    Stated.of(MavenBuild.FILE, mavenVersions.getOrDefault(name, "")),
                    Stated.of(VersionCatalog.FILE, gradleVersions.getOrDefault(name, "")));
        }
        differences.same(
                "version name of the PostgreSQL binaries",
                maven.postgresBinaries(),
                gradle.catalog().versionNames("io.zonky.test.postgres"));
        differences.same("platform", maven.platforms(), gradle.platforms());
        differences.same("Spring Boot plugin", maven.springBootPlugin(), gradle.springBootPlugin());
    }

    private void compareCompiler() {
        differences.same("Java release", maven.javaRelease(), gradle.javaRelease());
        differences.same("compiler argument for main", maven.compilerArguments(), gradle.compilerArguments());
        differences.same("compiler argument for test", maven.testCompilerArguments(), gradle.testCompilerArguments());
        differences.same("access to the compiler", maven.compilerAccess(), gradle.compilerAccess());
    }

    private void compareModule(BuildModule inMaven, BuildModule inGradle) {
        Set<String> coordinates = new TreeSet<>(inMaven.dependencies().keySet());
        coordinates.addAll(inGradle.dependencies().keySet());
        coordinates.forEach(each -> compareDependency(each, inMaven, inGradle));
        differences.same("annotation processor", inMaven.processors(), inGradle.processors());
        differences.sameIfAny("compiler argument", inMaven.ownCompilerArguments(), inGradle.ownCompilerArguments());
    }

    private void compareDependency(String coordinates, BuildModule inMaven, BuildModule inGradle) {
        Dependency mavens = inMaven.dependencies().get(coordinates);
        Dependency gradles = inGradle.dependencies().get(coordinates);
        String subject = "dependency " + quoted(coordinates);
        if (mavens == null
                || gradles == null
                || !counterparts(mavens, inMaven.name()).contains(gradles.scopes())) {
            differences.differ(subject, inMaven.file(), scopes(mavens), inGradle.file(), scopes(gradles));
        }
        if (mavens != null && gradles != null) {
            differences.sameIfAny(
                    "version of " + quoted(coordinates),
                    Stated.of(inMaven.file(), mavens.versions()),
                    Stated.of(inGradle.file(), gradles.versions()));
            differences.sameIfAny(
                    "exclusion from " + quoted(coordinates),
                    Stated.of(inMaven.file(), mavens.excludedGroups()),
                    Stated.of(inGradle.file(), gradles.excludedGroups()));
        }
    }

    private static String scopes(Dependency dependency) {
        return dependency == null ? "nothing" : quoted(String.join(" + ", dependency.scopes()));
    }

    /** The configurations, each a set, that mean in Gradle what the scope means in Maven. */
    private static Set<Set<String>> counterparts(Dependency dependency, String module) {
        return switch (String.join(" + ", dependency.scopes())) {
            case "compile" -> Set.of(Set.of(module.equals(APPLICATION) ? "implementation" : "api"));
            // compileOnly is not on the class path of Gradle's tests; Maven's optional is.
            case "compile optional" -> Set.of(Set.of("compileOnly"), Set.of("compileOnly", "testImplementation"));
            case "provided" -> Set.of(Set.of("compileOnly"));
            case "runtime" -> Set.of(Set.of("runtimeOnly"));
            case "test" -> Set.of(Set.of("testImplementation"), Set.of("testRuntimeOnly"));
            default -> Set.of();
        };
    }

    private void checkWrapper() {
        WRAPPER_FILES.stream()
                .filter(file -> !Files.isRegularFile(root.resolve(file)))
                .forEach(file -> differences.add("Gradle wrapper: '" + file + "' is missing"));
        if (Files.isRegularFile(root.resolve(WRAPPER)) && !distribution().contains("/gradle-9.")) {
            differences.add("Gradle wrapper: %s has '%s', not a Gradle 9".formatted(WRAPPER, distribution()));
        }
    }

    private String distribution() {
        try (var lines = Files.lines(root.resolve(WRAPPER))) {
            return lines.filter(line -> line.startsWith("distributionUrl="))
                    .findFirst()
                    .orElse("");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
