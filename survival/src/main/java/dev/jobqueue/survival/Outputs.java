package dev.jobqueue.survival;

import dev.jobqueue.survival.cluster.Cluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** What the nodes printed, for whoever has to find out why a promise was broken. */
final class Outputs {

    private static final int TAIL = 30;

    private Outputs() {}

    static List<String> tails(Cluster cluster) {
        List<String> lines = new ArrayList<>();
        cluster.nodes().forEach(node -> {
            Path output = cluster.directory().resolve(node.incarnation() + ".log");
            lines.add("--- the last lines of " + output);
            lines.addAll(tail(output));
        });
        return lines;
    }

    private static List<String> tail(Path output) {
        try {
            List<String> lines = Files.readAllLines(output);
            return lines.subList(Math.max(0, lines.size() - TAIL), lines.size());
        } catch (IOException ex) {
            return List.of(ex.toString());
        }
    }
}
