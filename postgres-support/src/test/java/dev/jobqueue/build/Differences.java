package dev.jobqueue.build;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.SortedSet;

/** Collects one line per difference. */
final class Differences {

    private final List<String> lines = new ArrayList<>();

    List<String> lines() {
        return List.copyOf(lines);
    }

    void add(String line) {
        lines.add(line);
    }

    void addAll(Collection<String> more) {
        lines.addAll(more);
    }

    /** Silence on both sides is a difference too: it would mean that nothing was compared. */
    void same(String subject, Stated maven, Stated gradle) {
        if (maven.values().isEmpty() && gradle.values().isEmpty()) {
            add("%s: neither %s nor %s states it".formatted(subject, maven.file(), gradle.file()));
        }
        sameIfAny(subject, maven, gradle);
    }

    void sameIfAny(String subject, Stated maven, Stated gradle) {
        SortedSet<String> onlyMaven = maven.without(gradle);
        SortedSet<String> onlyGradle = gradle.without(maven);
        if (onlyMaven.size() == 1 && onlyGradle.size() == 1) {
            differ(subject, maven.file(), quoted(onlyMaven.first()), gradle.file(), quoted(onlyGradle.first()));
            return;
        }
        onlyMaven.forEach(value -> differ(subject, maven.file(), quoted(value), gradle.file(), "nothing"));
        onlyGradle.forEach(value -> differ(subject, maven.file(), "nothing", gradle.file(), quoted(value)));
    }

    void differ(String subject, String mavenFile, String mavenValue, String gradleFile, String gradleValue) {
        add("%s: %s has %s, %s has %s".formatted(subject, mavenFile, mavenValue, gradleFile, gradleValue));
    }

    static String quoted(String value) {
        return "'" + value + "'";
    }
}
