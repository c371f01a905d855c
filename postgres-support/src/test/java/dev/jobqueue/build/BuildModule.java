package dev.jobqueue.build;

import java.util.SortedMap;

/** A module as one of the builds describes it. */
record BuildModule(
        String name,
        String file,
        SortedMap<String, Dependency> dependencies,
        Stated processors,
        Stated ownCompilerArguments) {}
