package dev.jobqueue.build;

import java.util.Arrays;
import java.util.Collection;
import java.util.SortedSet;
import java.util.TreeSet;

/** The values a build file states for one subject; none if it is silent. */
record Stated(String file, SortedSet<String> values) {

    static Stated of(String file, Collection<String> values) {
        SortedSet<String> stated = new TreeSet<>(values);
        stated.remove("");
        return new Stated(file, stated);
    }

    static Stated of(String file, String... values) {
        return of(file, Arrays.asList(values));
    }

    SortedSet<String> without(Stated other) {
        SortedSet<String> rest = new TreeSet<>(values);
        rest.removeAll(other.values);
        return rest;
    }
}
