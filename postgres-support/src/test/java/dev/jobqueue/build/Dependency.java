package dev.jobqueue.build;

import java.util.Collection;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** What a module says about {@code group:artifact}, in the words of its own build: 'compile' or 'api'. */
record Dependency(
        String coordinates, SortedSet<String> scopes, SortedSet<String> versions, SortedSet<String> excludedGroups) {

    /** An empty version is one that a platform manages. */
    static Dependency of(String coordinates, String scope, String version, Collection<String> excludedGroups) {
        return new Dependency(
                coordinates,
                new TreeSet<>(List.of(scope)),
                new TreeSet<>(version.isEmpty() ? List.of() : List.of(version)),
                new TreeSet<>(excludedGroups));
    }

    /** One dependency per coordinates, with the scopes of all its declarations. */
    static SortedMap<String, Dependency> byCoordinates(Collection<Dependency> declarations) {
        SortedMap<String, Dependency> merged = new TreeMap<>();
        declarations.forEach(declaration -> merged.merge(declaration.coordinates(), declaration, Dependency::and));
        return merged;
    }

    private Dependency and(Dependency other) {
        return new Dependency(
                coordinates,
                union(scopes, other.scopes),
                union(versions, other.versions),
                union(excludedGroups, other.excludedGroups));
    }

    private static SortedSet<String> union(SortedSet<String> one, SortedSet<String> other) {
        SortedSet<String> all = new TreeSet<>(one);
        all.addAll(other);
        return all;
    }
}
