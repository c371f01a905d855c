package dev.jobqueue.survival.ledger;

import java.util.UUID;

/**
 * One line of a ledger.
 *
 * @param node the process that wrote it
 * @param nanos when, on the clock that all processes of the machine share and nobody sets
 * @param lease 0 where there is none
 * @param attempt 0 where there is none
 */
public record Entry(String node, long nanos, Verb verb, UUID id, long lease, int attempt, String detail) {

    static Entry parse(String node, String line) {
        String[] fields = line.split(" ", -1);
        return new Entry(
                node,
                Long.parseLong(fields[0]),
                Verb.valueOf(fields[1]),
                UUID.fromString(fields[2]),
                Long.parseLong(fields[3]),
                Integer.parseInt(fields[4]),
                fields[5]);
    }

    String format() {
        return "%d %s %s %d %d %s%n".formatted(nanos, verb, id, lease, attempt, detail);
    }

    @Override
    public String toString() {
        return "%s %s %s lease %d attempt %d".formatted(node, verb, id, lease, attempt);
    }
}
