package dev.jobqueue.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.io.ByteArrayResource;

/**
 * What README and docs say is what the sources say. With UPDATE_DOCS=true in the environment, they are brought up to
 * date.
 */
class DocumentationTests {

    private static final Path ROOT = Path.of("..");
    private static final Path REFERENCE = ROOT.resolve("docs/configuration.md");
    private static final String UPDATE = "UPDATE_DOCS=true mvn test -pl sample-app -am -Dtest=DocumentationTests"
            + " -Dsurefire.failIfNoSpecifiedTests=false";

    /** The page whose examples {@link SqlPageIntegrationTests} runs; those of all others come from tested sources. */
    private static final String EXECUTED = "sql.md";

    private static final Set<String> SOURCES = Set.of("java", "yaml", "sql");

    private static final Snippets snippets = Snippets.in(
            Path.of("src/test/java/dev/jobqueue/guide"),
            Path.of("src/test/resources/guide"),
            ROOT.resolve("queue-dashboard/src/test/java/dev/jobqueue/dashboard"),
            ROOT.resolve("queue-spring-boot-autoconfigure/src/test/java/dev/jobqueue/autoconfigure/endpoint"));
    private static final List<MarkdownPage> pages = MarkdownPage.all(ROOT);

    @BeforeAll
    static void update() throws IOException {
        if (Boolean.parseBoolean(System.getenv("UPDATE_DOCS"))) {
            pages.forEach(page -> page.update(snippets::text));
            Files.writeString(REFERENCE, ConfigurationReference.page());
        }
    }

    @Test
    void examplesAreThoseOfTestedSources() {
        for (MarkdownPage page : pages) {
            for (MarkdownPage.Block block : page.blocks()) {
                if (!block.names().isEmpty()) {
                    assertThat(block.text())
                            .as("%s: %s differs from its source. Update: %s", page.name(), block.names(), UPDATE)
                            .isEqualTo(block.expected(snippets::text));
                } else if (!page.name().equals(EXECUTED)) {
                    assertThat(SOURCES)
                            .as("%s, line %d: not included from a tested source", page.name(), block.from())
                            .doesNotContain(block.language());
                }
            }
        }
    }

    @Test
    void noExampleIsForgotten() {
        Set<String> shown = pages.stream()
                .flatMap(page -> page.blocks().stream())
                .flatMap(block -> block.names().stream())
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(shown)
                .as("snippets that pages show")
                .isEqualTo(snippets.all().keySet());
    }

    @Test
    void linksLeadSomewhere() {
        for (MarkdownPage page : pages) {
            for (String link : page.links()) {
                if (!link.matches("[a-z]+:.*")) {
                    checkLink(page, link);
                }
            }
        }
    }

    private static void checkLink(MarkdownPage page, String link) {
        String[] parts = link.split("#", 2);
        Path target = parts[0].isEmpty() ? page.file() : page.file().resolveSibling(parts[0]);
        assertThat(target).as("%s links to %s", page.file(), link).exists();
        if (parts.length == 2) {
            assertThat(new MarkdownPage(target).anchors())
                    .as("%s links to %s", page.file(), link)
                    .contains(parts[1]);
        }
    }

    @Test
    void theConfigurationReferenceIsWhatTheMetadataSays() throws IOException {
        assertThat(Files.readString(REFERENCE))
                .as("docs/configuration.md is out of date. Update: %s", UPDATE)
                .isEqualTo(ConfigurationReference.page());
    }

    @Test
    void pagesNamePropertiesAndMetersThatExist() {
        Set<String> known = new TreeSet<>(ConfigurationReference.properties().keySet());
        MarkdownPage operations = new MarkdownPage(ROOT.resolve("docs/operations.md"));
        known.addAll(queueNames(operations.section("Meters"))); // compared with a scrape elsewhere
        for (MarkdownPage page : pages) {
            if (!page.file().equals(REFERENCE.normalize())) {
                assertThat(queueNames(page.proseText()))
                        .as("named in %s", page.file())
                        .allMatch(name -> known.stream().anyMatch(property -> isAbove(name, property)));
            }
        }
        assertThat(queueNames(new MarkdownPage(ROOT.resolve("README.md")).section("Configuration")))
                .hasSizeGreaterThan(10);
    }

    @Test
    void theReadmeTellsTheDefaults() {
        Map<String, PropertyDoc> properties = ConfigurationReference.properties();
        Pattern row = Pattern.compile("(?m)^\\| `(queue\\.[\\w.-]+)` \\| ([^|]+) \\|");
        List<MatchResult> rows = row.matcher(new MarkdownPage(ROOT.resolve("README.md")).section("Configuration"))
                .results()
                .toList();
        assertThat(rows).hasSizeGreaterThan(4);
        for (MatchResult found : rows) {
            assertThat(properties.get(found.group(1)).row())
                    .contains("| `%s` |".formatted(found.group(2).replace("`", "")));
        }
    }

    /** What is quoted and begins with {@code queue.}, without a value. */
    private static Set<String> queueNames(String text) {
        return Pattern.compile("`(queue\\.[^`:= ]+)[^`]*`")
                .matcher(text)
                .results()
                .map(match -> match.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** Whether it is that property, or a group of them. */
    private static boolean isAbove(String name, String property) {
        String group = name.replaceAll("\\.\\*$", "").replaceAll("^queue\\.queues\\[[^]]+]", "queue.queues.<name>");
        return property.equals(group) || property.startsWith(group + ".");
    }

    @Test
    void theReadmeNamesTheVersionThatIsBuilt() throws IOException {
        String pom = Files.readString(ROOT.resolve("pom.xml"));
        String version = pom.replaceAll("(?s)^.*?<version>(.*?)</version>.*$", "$1");
        assertThat(Files.readString(ROOT.resolve("README.md")))
                .contains("<version>" + version + "</version>", "queue-spring-boot-starter:" + version + "\"");
    }

    @Test
    void examplesInYamlNamePropertiesThatExist() throws IOException {
        List<String> known = Stream.concat(ConfigurationReference.knownNames().stream(), Stream.of("jobs"))
                .toList();
        for (Map.Entry<String, String> snippet : snippets.all().entrySet()) {
            if (snippet.getKey().endsWith("-yaml")) {
                for (String name : namesIn(snippet.getValue())) {
                    assertThat(known)
                            .as("%s in snippet '%s'", name, snippet.getKey())
                            .anyMatch(property -> name.equals(property) || isBelow(name, property));
                }
            }
        }
    }

    /** Whether it is an entry of a map or list. */
    private static boolean isBelow(String name, String property) {
        return name.startsWith(property + ".") || name.startsWith(property + "[");
    }

    private static List<String> namesIn(String yaml) throws IOException {
        return new YamlPropertySourceLoader()
                .load("snippet", new ByteArrayResource(yaml.getBytes(java.nio.charset.StandardCharsets.UTF_8))).stream()
                        .flatMap(source -> Stream.of(((EnumerablePropertySource<?>) source).getPropertyNames()))
                        .toList();
    }
}
