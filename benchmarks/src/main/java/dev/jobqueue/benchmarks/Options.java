package dev.jobqueue.benchmarks;

import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * What the command line asks for.
 *
 * @param quick small numbers, to see that it works
 * @param only the phases to run
 * @param rounds how often each measurement is taken
 * @param out the directory of the results
 * @param patience how long to wait for a calm moment before each measurement
 */
record Options(boolean quick, Set<String> only, int rounds, Path out, Duration patience) {

    static final String USAGE = """
            Options:
              --quick          small numbers, to see that it works: the figures mean little
              --only a,b       only these phases: %s
              --rounds n       how often each measurement is taken (default 3, quick 1)
              --out directory  where the results go (default target/benchmarks)
              --patience s     seconds to wait for a calm machine before a measurement (default 20, quick 0)
            """;

    static Options parse(List<String> arguments, List<String> phases) {
        boolean quick = arguments.contains("--quick");
        Set<String> only = new LinkedHashSet<>(phases);
        int rounds = quick ? 1 : 3;
        Path out = Path.of("target", "benchmarks");
        Duration patience = Duration.ofSeconds(quick ? 0 : 20);
        for (int i = 0; i < arguments.size(); i++) {
            switch (arguments.get(i)) {
                case "--quick" -> {}
                case "--only" -> only.retainAll(known(value(arguments, ++i), phases));
                case "--rounds" -> rounds = Integer.parseInt(value(arguments, ++i));
                case "--out" -> out = Path.of(value(arguments, ++i));
                case "--patience" -> patience = Duration.ofSeconds(Long.parseLong(value(arguments, ++i)));
                default -> throw new IllegalArgumentException("'%s' is no option".formatted(arguments.get(i)));
            }
        }
        return new Options(quick, only, rounds, out, patience);
    }

    private static String value(List<String> arguments, int index) {
        if (index >= arguments.size()) {
            throw new IllegalArgumentException("'%s' needs a value".formatted(arguments.get(index - 1)));
        }
        return arguments.get(index);
    }

    private static List<String> known(String names, List<String> phases) {
        List<String> wanted = List.of(names.split(",", -1));
        for (String name : wanted) {
            if (!phases.contains(name)) {
                throw new IllegalArgumentException("'%s' is no phase, there are %s".formatted(name, phases));
            }
        }
        return wanted;
    }
}
