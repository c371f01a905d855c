package dev.jobqueue.survival;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/**
 * What the command line asks for.
 *
 * @param time how long to go on breaking things
 * @param seed which faults, in which order
 */
record Options(Duration time, long seed) {

    static final String USAGE = """
            Options:
              --minutes n   how long to go on breaking things (default 30)
              --seed n      which faults come in which order; printed, so that a run can be repeated (default random)
            """;

    static Options parse(List<String> arguments) {
        Duration time = Duration.ofMinutes(30);
        long seed = ThreadLocalRandom.current().nextInt(Integer.MAX_VALUE);
        for (int i = 0; i < arguments.size(); i += 2) {
            String value = i + 1 < arguments.size() ? arguments.get(i + 1) : "";
            switch (arguments.get(i)) {
                case "--minutes" -> time = Duration.ofMinutes(Long.parseLong(value));
                case "--seed" -> seed = Long.parseLong(value);
                default -> throw new IllegalArgumentException("'%s' is no option".formatted(arguments.get(i)));
            }
        }
        return new Options(time, seed);
    }
}
