package dev.jobqueue.survival.check;

import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Something that must be true whatever was broken.
 *
 * @param name the promise
 * @param check finds what breaks it
 */
record Invariant(String name, Function<Evidence, Stream<String>> check) {

    Stream<String> violations(Evidence evidence) {
        return check.apply(evidence).map(violation -> name + ": " + violation);
    }
}
