package dev.jobqueue.build;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The build files of this project, and copies of them to break. */
record BuildFiles(Path root) {

    private static final List<String> OF_THE_ROOT = List.of(
            MavenBuild.FILE,
            MavenBuild.JVM_CONFIG,
            GradleBuild.FILE,
            GradleBuild.SETTINGS,
            VersionCatalog.FILE,
            "gradlew",
            "gradlew.bat",
            "gradle/wrapper/gradle-wrapper.jar",
            "gradle/wrapper/gradle-wrapper.properties");

    /** Both builds run the tests in the directory of the module. */
    static BuildFiles ofThisProject() {
        Path directory = Path.of("").toAbsolutePath();
        while (!Files.exists(directory.resolve(GradleBuild.SETTINGS))) {
            directory = directory.getParent();
            if (directory == null) {
                throw new IllegalStateException("No '" + GradleBuild.SETTINGS + "' above '"
                        + Path.of("").toAbsolutePath() + "'");
            }
        }
        return new BuildFiles(directory);
    }

    List<String> differences() {
        return BuildComparison.differences(root);
    }

    BuildFiles copyTo(Path target) throws IOException {
        try (Stream<Path> directories = Files.list(root)) {
            Stream<String> ofModules = directories
                    .map(directory -> root.relativize(directory).toString())
                    .flatMap(name -> Stream.of(name + "/" + MavenBuild.FILE, name + "/" + GradleBuild.FILE));
            for (String file : Stream.concat(OF_THE_ROOT.stream(), ofModules).toList()) {
                if (Files.exists(root.resolve(file))) {
                    Path copy = target.resolve(file);
                    Files.createDirectories(copy.getParent());
                    Files.copy(root.resolve(file), copy);
                }
            }
        }
        return new BuildFiles(target);
    }

    /** Replaces the first match, which must exist. */
    void change(String file, String regex, String replacement) throws IOException {
        Path path = root.resolve(file);
        Matcher matcher = Pattern.compile(regex).matcher(Files.readString(path));
        if (!matcher.find()) {
            throw new IllegalArgumentException("No '" + regex + "' in '" + file + "'");
        }
        Files.writeString(path, matcher.replaceFirst(replacement));
    }
}
