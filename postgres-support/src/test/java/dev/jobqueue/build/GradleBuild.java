package dev.jobqueue.build;

import dev.jobqueue.build.DependencyBlock.Declaration;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The settings, the scripts of root and modules, and the version catalog. */
final class GradleBuild {

    static final String FILE = "build.gradle.kts";
    static final String SETTINGS = "settings.gradle.kts";

    private static final Set<String> PROCESSOR_CONFIGURATIONS =
            Set.of("annotationProcessor", "testAnnotationProcessor");
    private static final Pattern LIBRARY = Pattern.compile("(?:rootProject\\.)?libs\\.([\\w.]+)");
    private static final Pattern PROJECT = Pattern.compile("project\\(\":([\\w-]+)\"\\)");
    private static final Pattern PLATFORM = Pattern.compile("platform\\((.+)\\)");
    private static final Pattern LITERAL = Pattern.compile("\"([^:\"]+:[^:\"]+)(?::([^\"]+))?\"");
    private static final Pattern MAIN_OR_TEST = Pattern.compile(
            "val (\\w+) = if \\(name == \"compileJava\"\\) \\{\\s*\"([^\"]*)\"\\s*} else \\{\\s*\"([^\"]*)\"\\s*}");
    private static final Pattern ACCESS =
            Pattern.compile("listOf\\(([^)]*)\\)\\.map \\{\\s*\"(--add-(?:exports|opens)=[^\"]*)\"");
    private static final Pattern FORMATTER =
            Pattern.compile("(\\w+)\\((?:(?:rootProject\\.)?libs\\.versions\\.([\\w.]+)\\.get\\(\\)|\"([^\"]*)\")\\)");

    private final VersionCatalog catalog;
    private final KotlinScript settings;
    private final KotlinScript script;
    private final Map<String, KotlinScript> modules = new LinkedHashMap<>();

    GradleBuild(Path root) {
        catalog = new VersionCatalog(root);
        settings = KotlinScript.read(root, SETTINGS);
        script = KotlinScript.read(root, FILE);
        settings.each("(?m)^include\\((.*)\\)$").stream()
                .flatMap(names -> KotlinScript.strings(names).stream())
                .forEach(name -> modules.put(name, KotlinScript.read(root, name + "/" + FILE)));
    }

    /** What could not be read, and so not be compared. */
    List<String> problems() {
        List<String> problems = new ArrayList<>(catalog.problems());
        problems.addAll(new DependencyBlock(subprojects()).problems());
        modules.values().forEach(module -> problems.addAll(new DependencyBlock(module).problems()));
        return problems;
    }

    VersionCatalog catalog() {
        return catalog;
    }

    Stated moduleNames() {
        return Stated.of(SETTINGS, modules.keySet());
    }

    Stated group() {
        return Stated.of(FILE, script.block("allprojects").each("(?m)^group = \"(.*)\"$"));
    }

    Stated version() {
        return Stated.of(FILE, script.block("allprojects").each("(?m)^version = \"(.*)\"$"));
    }

    Stated javaRelease() {
        return Stated.of(FILE, script.each("(?m)^options\\.release = (.+)$"));
    }

    private KotlinScript subprojects() {
        return script.block("subprojects");
    }

    Stated platforms() {
        return Stated.of(
                FILE,
                new DependencyBlock(subprojects())
                        .declarations().stream()
                                .filter(declaration ->
                                        declaration.configuration().equals("managed"))
                                .map(declaration -> PLATFORM.matcher(declaration.notation()))
                                .filter(Matcher::matches)
                                .map(platform -> versioned(platform.group(1)))
                                .toList());
    }

    Stated compilerArguments() {
        return arguments(2);
    }

    Stated testCompilerArguments() {
        return arguments(3);
    }

    /** The arguments, with the variables that differ between main and test replaced by that branch of theirs. */
    private Stated arguments(int branch) {
        List<MatchResult> variables = script.all(MAIN_OR_TEST);
        List<String> arguments = new ArrayList<>();
        for (String argument : script.call("options.compilerArgs.addAll").strings()) {
            String replaced = argument;
            for (MatchResult variable : variables) {
                replaced = replaced.replace("$" + variable.group(1), variable.group(branch));
            }
            arguments.add(replaced);
        }
        return Stated.of(FILE, arguments);
    }

    Stated compilerAccess() {
        Set<String> access = new TreeSet<>();
        for (MatchResult list : script.all(ACCESS)) {
            KotlinScript.strings(list.group(1))
                    .forEach(it -> access.add(list.group(2).replace("$it", it)));
        }
        return Stated.of(FILE, access);
    }

    Stated formatter() {
        List<String> formatters = new ArrayList<>();
        KotlinScript java = script.block("java");
        for (MatchResult match : java.all(FORMATTER)) {
            if (!match.group(1).equals("target")) {
                String version = match.group(2) == null ? match.group(3) : catalog.version(match.group(2));
                formatters.add(match.group(1) + " " + version);
            }
        }
        return Stated.of(FILE, formatters);
    }

    Stated testJvms() {
        List<String> stated = new ArrayList<>(tests().each("(?m)^maxParallelForks = (.+)$"));
        stated.add(String.join(" ", tests().call("jvmArgs").strings()));
        return Stated.of(FILE, stated);
    }

    private KotlinScript tests() {
        return script.block("tasks.withType<Test>().configureEach");
    }

    Stated testPatterns() {
        return Stated.of(
                FILE,
                tests().each("(?m)^include\\((.*)\\)$").stream()
                        .flatMap(patterns -> KotlinScript.strings(patterns).stream())
                        .map(pattern -> pattern.replaceFirst("\\.class$", ""))
                        .toList());
    }

    Stated springBootPlugin() {
        return catalog.plugin("org.springframework.boot");
    }

    Stated published() {
        return Stated.of(FILE, script.call("val published = mapOf").strings());
    }

    BuildModule module(String name) {
        KotlinScript module = modules.get(name);
        List<Declaration> declared = new ArrayList<>(new DependencyBlock(subprojects()).declarations());
        declared.addAll(new DependencyBlock(module).declarations());
        declared.removeIf(
                declaration -> PLATFORM.matcher(declaration.notation()).matches());
        return new BuildModule(
                name,
                module.file(),
                Dependency.byCoordinates(declared.stream()
                        .filter(declaration -> !PROCESSOR_CONFIGURATIONS.contains(declaration.configuration()))
                        .map(this::dependency)
                        .toList()),
                processors(module, declared),
                Stated.of(module.file(), module.each("compilerArgs.*\"(-[^\"]+)\"")));
    }

    private Stated processors(KotlinScript module, List<Declaration> declared) {
        return Stated.of(
                module.file(),
                declared.stream()
                        .filter(declaration -> declaration.configuration().equals("annotationProcessor"))
                        .map(declaration -> versioned(declaration.notation()))
                        .toList());
    }

    private Dependency dependency(Declaration declared) {
        return Dependency.of(
                coordinates(declared.notation()),
                declared.configuration(),
                version(declared.notation()),
                declared.excludedGroups());
    }

    private String coordinates(String notation) {
        Matcher project = PROJECT.matcher(notation);
        Matcher library = LIBRARY.matcher(notation);
        Matcher literal = LITERAL.matcher(notation);
        if (project.matches()) {
            return String.join("", group().values()) + ":" + project.group(1);
        }
        if (library.matches()) {
            return catalog.library(library.group(1)).id();
        }
        return literal.matches() ? literal.group(1) : notation;
    }

    private String versioned(String notation) {
        return coordinates(notation) + ":" + version(notation);
    }

    private String version(String notation) {
        Matcher library = LIBRARY.matcher(notation);
        Matcher literal = LITERAL.matcher(notation);
        if (library.matches()) {
            return catalog.library(library.group(1)).version();
        }
        return literal.matches() && literal.group(2) != null ? literal.group(2) : "";
    }
}
