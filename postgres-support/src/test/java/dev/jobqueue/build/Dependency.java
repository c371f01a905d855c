package dev.jobqueue.build;

import java.util.Collection;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** What a module says about {@code group:artifact}, in the words of its own build: 'compile' or 'api'. */
record Dependency(String coordinates, SortedSet<String> scopes, SortedSet<String> excludedGroups) {

    static Dependency of(String coordinates, String scope, Collection<String> excludedGroups) {
        SortedSet<String> scopes = new TreeSet<>();
        scopes.add(scope);
        return new Dependency(coordinates, scopes, new TreeSet<>(excludedGroups));
    }

    /** One dependency per coordinates, with the scopes of all its declarations. */
    static SortedMap<String, Dependency> byCoordinates(Collection<Dependency> declarations) {
        SortedMap<String, Dependency> merged = new TreeMap<>();
        declarations.forEach(declaration -> merged.merge(declaration.coordinates(), declaration, Dependency::and));
        return merged;
    }

    private Dependency and(Dependency other) {
        SortedSet<String> allScopes = new TreeSet<>(scopes);
        allScopes.addAll(other.scopes);
        SortedSet<String> allExcluded = new TreeSet<>(excludedGroups);
        allExcluded.addAll(other.excludedGroups);
        return new Dependency(coordinates, allScopes, allExcluded);
    }
}
