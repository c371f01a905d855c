package dev.jobqueue.build;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads {@code gradle/libs.versions.toml}, one entry per line; what it cannot read is a problem, not a guess. */
final class VersionCatalog {

    static final String FILE = "gradle/libs.versions.toml";

    private static final Pattern SECTION = Pattern.compile("\\[(versions|plugins|libraries)]");
    private static final Pattern VERSION = Pattern.compile("([\\w-]+) = \"([^\"]+)\"");
    private static final Pattern ENTRY =
            Pattern.compile("([\\w-]+) = \\{ (?:module|id) = \"([^\"]+)\"(?:, version(\\.ref)? = \"([^\"]+)\")? }");

    /** A library or plugin; version and the name of the version are empty if a platform manages it. */
    record Entry(String id, String version, String versionName) {}

    private final Map<String, String> versions = new TreeMap<>();
    private final Set<String> gradleOnly = new TreeSet<>();
    private final Map<String, Entry> libraries = new TreeMap<>();
    private final Map<String, Entry> plugins = new TreeMap<>();
    private final List<String> problems = new ArrayList<>();

    private String section = "";
    private boolean onlyForGradle;

    VersionCatalog(Path root) {
        try {
            Files.readAllLines(root.resolve(FILE)).forEach(line -> read(line.strip()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void read(String line) {
        Matcher header = SECTION.matcher(line);
        Matcher version = VERSION.matcher(line);
        Matcher entry = ENTRY.matcher(line);
        if (header.matches()) {
            section = header.group(1);
            onlyForGradle = false;
        } else if (line.startsWith("#")) {
            onlyForGradle |= line.equals("# Gradle only");
        } else if (section.equals("versions") && version.matches()) {
            readVersion(version.group(1), version.group(2));
        } else if (!section.equals("versions") && entry.matches()) {
            readEntry(entry);
        } else if (!line.isEmpty()) {
            problems.add("%s: cannot read '%s' in [%s]".formatted(FILE, line, section));
        }
    }

    private void readVersion(String name, String value) {
        noteDuplicate(name, versions.put(name, value) == null);
        if (onlyForGradle) {
            gradleOnly.add(name);
        }
    }

    private void readEntry(Matcher entry) {
        String stated = entry.group(4) == null ? "" : entry.group(4);
        boolean named = entry.group(3) != null;
        String version = named ? versions.getOrDefault(stated, "") : stated;
        if (named && version.isEmpty()) {
            problems.add(
                    "%s: '%s' refers to the version '%s', which is not there".formatted(FILE, entry.group(1), stated));
        }
        Map<String, Entry> entries = section.equals("plugins") ? plugins : libraries;
        Entry read = new Entry(entry.group(2), version, named ? stated : "");
        noteDuplicate(entry.group(1), entries.putIfAbsent(alias(entry.group(1)), read) == null);
    }

    private void noteDuplicate(String name, boolean isNew) {
        if (!isNew) {
            problems.add("%s: '%s' stands more than once in [%s]".formatted(FILE, name, section));
        }
    }

    private static String alias(String name) {
        return name.replace('-', '.').replace('_', '.');
    }

    List<String> problems() {
        return problems;
    }

    /** The versions that Maven must have too. */
    Map<String, String> sharedVersions() {
        Map<String, String> shared = new TreeMap<>(versions);
        shared.keySet().removeAll(gradleOnly);
        return shared;
    }

    /** The library behind {@code libs.<alias>}; one that tells of its absence if there is none. */
    Entry library(String alias) {
        return libraries.getOrDefault(alias, new Entry("libs." + alias + " (not in the catalog)", "", ""));
    }

    /** The value behind {@code libs.versions.<alias>}, or an empty string. */
    String version(String alias) {
        return versions.entrySet().stream()
                .filter(version -> alias(version.getKey()).equals(alias))
                .map(Map.Entry::getValue)
                .findFirst()
                .orElse("");
    }

    Stated plugin(String id) {
        return Stated.of(
                FILE,
                plugins.values().stream()
                        .filter(plugin -> plugin.id().equals(id))
                        .map(Entry::version)
                        .toList());
    }

    /** The names of the versions of all libraries of a group. */
    Stated versionNames(String group) {
        return Stated.of(
                FILE,
                libraries.values().stream()
                        .filter(library -> library.id().startsWith(group + ":"))
                        .map(library -> library.versionName().isEmpty() ? library.toString() : library.versionName())
                        .toList());
    }
}
