package dev.jobqueue.benchmarks.measure;

import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Where the time of some jobs went.
 *
 * @param jobs how many it was
 * @param seconds how long it took
 * @param server microseconds of processor time per job in the server, by what the backends did
 * @param client microseconds of processor time per job in this JVM, by thread
 * @param allocated bytes allocated per job in this JVM
 * @param claims the calls of our claimers
 * @param settlements the calls of our settlers
 * @param parked the share of the time that claimers and settlers had nothing to do
 */
public record Profile(
        int jobs,
        double seconds,
        Map<String, Double> server,
        Map<String, Double> client,
        double allocated,
        QueueCounts.Sum claims,
        QueueCounts.Sum settlements,
        Map<String, Double> parked) {

    private static final double WORTH_TELLING = 0.02;

    /** Microseconds of processor time per job in the server. */
    public double serverMicros() {
        return sum(server);
    }

    /** Microseconds of processor time per job in this JVM. */
    public double clientMicros() {
        return sum(client);
    }

    /** By name, for the table of costs. */
    public Map<String, Double> costs() {
        Map<String, Double> costs = new LinkedHashMap<>();
        costs.put("server CPU, us", serverMicros());
        costs.put("client CPU, us", clientMicros());
        costs.put("of that GC and JIT, us", client.getOrDefault(Profiler.NO_THREAD, 0.0));
        costs.put("allocated, bytes", allocated);
        if (claims.jobs() > 0) {
            costs.put("claiming backend, us", server.getOrDefault("claim", 0.0));
            costs.put("settling backend, us", server.getOrDefault("settle", 0.0));
            costs.put("claimer, us", client.getOrDefault("claimer", 0.0));
            costs.put("settler, us", client.getOrDefault("settler", 0.0));
            costs.put("handlers, us", client.getOrDefault("job", 0.0));
            costs.put("jobs per claim", claims.batch());
            costs.put("claimer parked, %", 100 * parked.getOrDefault("claimer", Double.NaN));
            costs.put("jobs per settlement", settlements.batch());
            costs.put("settler parked, %", 100 * parked.getOrDefault("settler", Double.NaN));
        }
        return costs;
    }

    private static double sum(Map<String, Double> parts) {
        return parts.values().stream().mapToDouble(Double::doubleValue).sum();
    }

    /** One line for the processors, and one for our claimer and settler if they did something. */
    public String text() {
        String processors = String.format(
                Locale.ROOT,
                "CPU per job: server %.1f us (%s); client %.1f us (%s); %.2f processors in use",
                serverMicros(),
                parts(server),
                clientMicros(),
                parts(client),
                (serverMicros() + clientMicros()) * jobs / 1e6 / seconds);
        return claims.jobs() == 0
                ? processors
                : processors + "\n          " + text("claims", claims, "claimer") + "; "
                        + text("settlements", settlements, "settler");
    }

    private String text(String what, QueueCounts.Sum calls, String thread) {
        return String.format(
                Locale.ROOT,
                "%s: %.0f jobs in %.2f ms, in a call %.0f %% of the time, parked %.0f %%",
                what,
                calls.batch(),
                calls.millis(),
                calls.nanos() / 1e7 / seconds,
                100 * parked.getOrDefault(thread, Double.NaN));
    }

    private static String parts(Map<String, Double> parts) {
        double all = sum(parts);
        return parts.entrySet().stream()
                .filter(each -> each.getValue() > all * WORTH_TELLING)
                .sorted(Comparator.comparing((Map.Entry<String, Double> each) -> -each.getValue()))
                .map(each -> String.format(Locale.ROOT, "%s %.1f", each.getKey(), each.getValue()))
                .collect(Collectors.joining(", "));
    }
}
