package dev.jobqueue.docs;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A call of curl in a block of the language {@code console}, and what the page says it answers.
 *
 * @param path what follows {@code $Q}
 * @param body what {@code -d} sends; {@code null} if nothing
 */
record ConsoleStep(String path, boolean post, @Nullable String body, String answer) {

    private static final Pattern ASSIGNMENT = Pattern.compile("F='(.*)'");
    private static final Pattern CALL = Pattern.compile("curl -s (.*?)\"?\\$Q([^\"\\s]*)\"?");
    private static final Pattern BODY = Pattern.compile("-d ['\"](.*)['\"] *");

    static List<ConsoleStep> in(String block) {
        List<ConsoleStep> steps = new ArrayList<>();
        String variable = "";
        for (String part : (block + "\n").split("(?m)^\\$ ", -1)) {
            String command = part.lines().findFirst().orElse("");
            Matcher assignment = ASSIGNMENT.matcher(command);
            if (assignment.matches()) {
                variable = assignment.group(1);
            } else if (!command.isBlank()) {
                Matcher call = CALL.matcher(command);
                if (!call.matches()) {
                    throw new AssertionError("Not a call: " + command);
                }
                Matcher body = BODY.matcher(call.group(1));
                String sent = body.find() ? body.group(1).replace("$F", variable) : null;
                boolean post = sent != null || call.group(1).contains("-X POST");
                String answer =
                        part.substring(command.length()).replaceAll("\n ", " ").strip();
                steps.add(new ConsoleStep(call.group(2), post, sent, answer));
            }
        }
        return steps;
    }
}
