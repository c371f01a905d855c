package dev.jobqueue.build;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.w3c.dom.Node;

/** The root POM, the POMs of the modules and {@code .mvn/jvm.config}. */
final class MavenBuild {

    static final String FILE = "pom.xml";
    static final String JVM_CONFIG = ".mvn/jvm.config";

    private static final String COMPILER = "/project/build//plugin[artifactId='maven-compiler-plugin']";
    private static final String PROCESSORS = COMPILER + "/configuration/annotationProcessorPaths";
    private static final String TEST_ARGUMENTS =
            COMPILER + "/executions/execution[id='default-testCompile']/configuration/compilerArgs";
    private static final Pattern REFERENCE = Pattern.compile("\\$\\{([^}]+)}");

    private final Path root;
    private final Pom pom;
    private final Map<String, Pom> modules = new LinkedHashMap<>();

    MavenBuild(Path root) {
        this.root = root;
        this.pom = Pom.read(root, FILE);
        pom.texts("/project/modules/module").forEach(name -> modules.put(name, Pom.read(root, name + "/" + FILE)));
    }

    Stated moduleNames() {
        return Stated.of(FILE, modules.keySet());
    }

    Stated group() {
        return Stated.of(FILE, pom.text("/project/groupId"));
    }

    Stated version() {
        return Stated.of(FILE, pom.text("/project/version"));
    }

    Stated javaRelease() {
        return Stated.of(FILE, pom.property("maven.compiler.release"));
    }

    /** The versions the catalog must repeat, by their name there. */
    Map<String, String> versions() {
        Map<String, String> versions = new TreeMap<>();
        for (Node property : pom.nodes("/project/properties/*")) {
            String name = property.getNodeName();
            if (name.endsWith(".version") && !name.endsWith("-plugin.version") && !name.equals("postgres.version")) {
                versions.put(
                        name.replaceFirst("\\.version$", ""),
                        property.getTextContent().strip());
            }
        }
        return versions;
    }

    /** The name of the version that {@code postgres.binaries} refers to by default. */
    Stated postgresBinaries() {
        return Stated.of(FILE, pom.property("postgres.binaries").replaceFirst("^\\$\\{(.+)\\.version}$", "$1"));
    }

    Stated platforms() {
        return Stated.of(
                FILE,
                pom.nodes("/project/dependencyManagement/dependencies/dependency[scope='import']").stream()
                        .map(this::versioned)
                        .toList());
    }

    Stated compilerArguments() {
        List<String> arguments = new ArrayList<>(pom.texts(COMPILER + "/configuration/compilerArgs/arg"));
        return Stated.of(FILE, withParameters(arguments));
    }

    Stated testCompilerArguments() {
        List<String> arguments = new ArrayList<>(pom.texts(TEST_ARGUMENTS + "/arg"));
        boolean replaced = !pom.nodes(TEST_ARGUMENTS).isEmpty();
        if (!replaced
                || !pom.nodes(TEST_ARGUMENTS + "[@combine.children='append']").isEmpty()) {
            arguments.addAll(pom.texts(COMPILER + "/configuration/compilerArgs/arg"));
        }
        return Stated.of(FILE, withParameters(arguments));
    }

    private List<String> withParameters(List<String> arguments) {
        if (pom.text(COMPILER + "/configuration/parameters").equals("true")) {
            arguments.add("-parameters");
        }
        return arguments;
    }

    Stated compilerAccess() {
        try {
            List<String> lines = Files.readAllLines(root.resolve(JVM_CONFIG));
            return Stated.of(
                    JVM_CONFIG,
                    lines.stream()
                            .map(line -> line.strip().replaceFirst("^(--add-\\w+)[ =]+", "$1="))
                            .filter(line -> line.startsWith("--add-"))
                            .toList());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    Stated formatter() {
        return Stated.of(
                FILE,
                pom.nodes("/project/build//plugin[artifactId='spotless-maven-plugin']/configuration/java/*").stream()
                        .filter(node -> !Pom.nodes(node, "version").isEmpty())
                        .map(node -> node.getNodeName() + " " + resolve(Pom.text(node, "version")))
                        .toList());
    }

    Stated testPatterns() {
        return Stated.of(
                FILE,
                pom.texts("/project/build//plugin[artifactId='maven-surefire-plugin']//includes/include").stream()
                        .map(pattern -> pattern.replaceFirst("\\.java$", ""))
                        .toList());
    }

    /** How many JVMs run tests at once, and with which options. */
    Stated testJvms() {
        String surefire = "/project/build//plugin[artifactId='maven-surefire-plugin']/configuration";
        return Stated.of(FILE, pom.text(surefire + "/forkCount"), pom.text(surefire + "/argLine"));
    }

    Stated springBootPlugin() {
        return Stated.of(
                FILE, resolve(pom.text("/project/build//plugin[artifactId='spring-boot-maven-plugin']/version")));
    }

    /** The modules and their names for people. */
    Stated published() {
        List<String> names = modules.entrySet().stream()
                .filter(module -> !deploySkip(module.getValue()).equals("true"))
                .flatMap(module -> Stream.of(module.getKey(), module.getValue().text("/project/name")))
                .toList();
        return Stated.of("*/" + FILE, names);
    }

    private String deploySkip(Pom module) {
        String own = module.property("maven.deploy.skip");
        return own.isEmpty() ? pom.property("maven.deploy.skip") : own;
    }

    BuildModule module(String name) {
        Pom module = modules.get(name);
        List<Node> declared = new ArrayList<>(pom.nodes("/project/dependencies/dependency"));
        declared.addAll(module.nodes("/project/dependencies/dependency"));
        declared.addAll(module.nodes("/project/profiles/profile/dependencies/dependency"));
        return new BuildModule(
                name,
                module.file(),
                Dependency.byCoordinates(declared.stream().map(this::dependency).toList()),
                processors(module),
                Stated.of(module.file(), module.texts("//compilerArgs/arg")));
    }

    private Stated processors(Pom module) {
        List<Node> paths = new ArrayList<>(module.nodes(PROCESSORS + "/path"));
        if (paths.isEmpty()
                || !module.nodes(PROCESSORS + "[@combine.children='append']").isEmpty()) {
            paths.addAll(pom.nodes(PROCESSORS + "/path"));
        }
        return Stated.of(module.file(), paths.stream().map(this::versioned).toList());
    }

    private Dependency dependency(Node declared) {
        String coordinates = coordinates(declared);
        List<Node> sources = new ArrayList<>(List.of(declared));
        pom.nodes("/project/dependencyManagement/dependencies/dependency").stream()
                .filter(managed -> coordinates(managed).equals(coordinates))
                .forEach(sources::add);
        String scope = first(sources, "scope");
        String kind = (scope.isEmpty() ? "compile" : scope)
                + (first(sources, "optional").equals("true") ? " optional" : "");
        // Maven takes the managed exclusions only where the module has none of its own.
        List<String> excluded = sources.stream()
                .map(source -> Pom.texts(source, "exclusions/exclusion/groupId"))
                .filter(groups -> !groups.isEmpty())
                .findFirst()
                .orElse(List.of());
        boolean ownModule = modules.containsKey(Pom.text(declared, "artifactId"));
        return Dependency.of(coordinates, kind, ownModule ? "" : resolve(first(sources, "version")), excluded);
    }

    private static String first(List<Node> sources, String element) {
        return sources.stream()
                .map(source -> Pom.text(source, element))
                .filter(text -> !text.isEmpty())
                .findFirst()
                .orElse("");
    }

    private String coordinates(Node node) {
        return resolve(Pom.text(node, "groupId")) + ":" + Pom.text(node, "artifactId");
    }

    private String versioned(Node node) {
        return coordinates(node) + ":" + resolve(Pom.text(node, "version"));
    }

    private String resolve(String text) {
        Matcher reference = REFERENCE.matcher(text);
        if (!reference.find()) {
            return text;
        }
        String name = reference.group(1);
        String value = name.startsWith("project.")
                ? pom.text("/project/" + name.substring("project.".length()))
                : resolve(pom.property(name));
        return text.substring(0, reference.start()) + value + resolve(text.substring(reference.end()));
    }
}
