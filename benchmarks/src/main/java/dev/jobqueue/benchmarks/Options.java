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
 * @param phases the phases to run
 * @param rounds how often each measurement that decides a bar is taken
 * @param out the directory of the results
 * @param patience how long to wait for calm moments, all in all
 */
record Options(boolean quick, Set<String> phases, int rounds, Path out, Duration patience) {

    static final String USAGE = """
            Options:
              --quick          small numbers, to see that it works: the figures mean little
              --phase=a,b      only these phases: %s
              --rounds=n       how often each measurement that decides a bar is taken (default 3, quick 1)
              --out=directory  where the results go (default target/benchmarks)
              --patience=s     seconds to wait for a calm machine, all in all (default 180, quick 0)
            """;

    static Options parse(List<String> arguments, List<String> known) {
        boolean quick = arguments.contains("--quick");
        Set<String> phases = new LinkedHashSet<>(known);
        int rounds = quick ? 1 : 3;
        Path out = Path.of("target", "benchmarks");
        Duration patience = Duration.ofSeconds(quick ? 0 : 180);
        for (String argument : arguments) {
            String[] parts = argument.split("=", 2);
            String value = parts.length == 2 ? parts[1] : "";
            switch (parts[0]) {
                case "--quick" -> {}
                case "--phase" -> phases.retainAll(checked(value, known));
                case "--rounds" -> rounds = number(argument, value);
                case "--out" -> out = Path.of(value);
                case "--patience" -> patience = Duration.ofSeconds(number(argument, value));
                default -> throw new IllegalArgumentException("'%s' is no option".formatted(argument));
            }
        }
        return new Options(quick, phases, rounds, out, patience);
    }

    private static int number(String argument, String value) {
        try {
            return Integer.parseInt(value);
        } catch (NumberFormatException ex) {
            throw new IllegalArgumentException("'%s' needs a whole number".formatted(argument), ex);
        }
    }

    private static List<String> checked(String names, List<String> known) {
        List<String> wanted = List.of(names.split(",", -1));
        for (String name : wanted) {
            if (!known.contains(name)) {
                throw new IllegalArgumentException("'%s' is no phase, there are %s".formatted(name, known));
            }
        }
        return wanted;
    }
}
