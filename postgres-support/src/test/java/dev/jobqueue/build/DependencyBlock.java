package dev.jobqueue.build;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The {@code dependencies} block of a script, with all branches of a {@code when}. */
final class DependencyBlock {

    private static final Pattern DECLARATION = Pattern.compile("(?:.* -> )?\"?(\\w+)\"?\\((.+?)\\)( \\{)?");
    private static final Pattern EXCLUSION = Pattern.compile("exclude\\(group = \"([^\"]+)\".*\\)");
    private static final Pattern STRUCTURE = Pattern.compile("|}|when .*\\{|if \\(.*\\) \\{|} else \\{|val .*");

    /** {@code configuration(notation) { exclude(group = ...) }} */
    record Declaration(String configuration, String notation, List<String> excludedGroups) {}

    private final List<Declaration> declarations = new ArrayList<>();
    private final List<String> problems = new ArrayList<>();

    DependencyBlock(KotlinScript script) {
        KotlinScript block = script.block("dependencies");
        block.text().lines().forEach(line -> read(script.file(), line));
    }

    private void read(String file, String line) {
        Matcher exclusion = EXCLUSION.matcher(line);
        Matcher declaration = DECLARATION.matcher(line);
        if (exclusion.matches() && !declarations.isEmpty()) {
            declarations.get(declarations.size() - 1).excludedGroups().add(exclusion.group(1));
        } else if (STRUCTURE.matcher(line).matches()) {
            return;
        } else if (declaration.matches()) {
            declarations.add(new Declaration(declaration.group(1), declaration.group(2), new ArrayList<>()));
        } else {
            problems.add("%s: cannot read '%s' in dependencies".formatted(file, line));
        }
    }

    List<Declaration> declarations() {
        return declarations;
    }

    List<String> problems() {
        return problems;
    }
}
