package dev.jobqueue.docs;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;

/** A function as a page or the catalog describes it: {@code name(argument type DEFAULT value, ...) RETURNS type}. */
record SqlSignature(String name, List<Argument> arguments, String result) {

    private static final Pattern SHAPE = Pattern.compile("(\\w+)\\((.*?)\\)\\s+RETURNS\\s+(.*)", Pattern.DOTALL);
    private static final Pattern ARGUMENT =
            Pattern.compile("(\\w+) ([\\w\\[\\] ]+?)(?: DEFAULT (.*))?", Pattern.DOTALL);
    private static final Map<String, String> SHORT =
            Map.of("integer", "int", "timestamp with time zone", "timestamptz", "double precision", "float8");

    private static final String CATALOG = """
            SELECT format('%s(%s) RETURNS %s', proname, pg_get_function_arguments(oid), pg_get_function_result(oid))
            FROM pg_proc WHERE pronamespace = 'queue'::regnamespace AND NOT starts_with(proname, 'internal_')
            """;

    /**
     * An argument.
     *
     * @param value the expression of its default
     */
    record Argument(String name, String type, @Nullable String value) {

        /** Whether both have the same default, however it is written. */
        boolean hasDefaultOf(Argument other, JdbcClient jdbc) {
            if (value == null || other.value == null) {
                return value == null && other.value == null;
            }
            return jdbc.sql("SELECT (%s)::%s IS NOT DISTINCT FROM (%s)::%s".formatted(value, type, other.value, type))
                    .query(Boolean.class)
                    .single();
        }
    }

    /** Those in a block, in which each begins a line; {@code text | jsonb} stands for one of either type. */
    static List<SqlSignature> in(String block) {
        List<SqlSignature> signatures = new ArrayList<>();
        for (String text : block.split("\n(?=\\w+\\()", -1)) {
            if (text.contains("text | jsonb")) {
                signatures.add(of(text.replace("text | jsonb", "text")));
                signatures.add(of(text.replace("text | jsonb", "jsonb")));
            } else {
                signatures.add(of(text));
            }
        }
        return signatures;
    }

    /** Those of the contract that the database has. */
    static List<SqlSignature> in(JdbcClient jdbc) {
        return jdbc.sql(CATALOG).query(String.class).list().stream()
                .map(SqlSignature::of)
                .toList();
    }

    private static SqlSignature of(String text) {
        Matcher shape = SHAPE.matcher(text.strip());
        if (!shape.matches()) {
            throw new AssertionError("Not a signature: " + text);
        }
        List<Argument> arguments = new ArrayList<>();
        for (String argument :
                shape.group(2).isBlank() ? new String[0] : shape.group(2).split(",\\s*(?=\\w+ )", -1)) {
            Matcher parts = ARGUMENT.matcher(argument.strip());
            if (!parts.matches()) {
                throw new AssertionError("Not an argument: " + argument);
            }
            arguments.add(new Argument(parts.group(1), plain(parts.group(2)), parts.group(3)));
        }
        return new SqlSignature(
                shape.group(1), arguments, plain(shape.group(3)).replaceAll("(?i)table ?\\(", "TABLE("));
    }

    private static String plain(String type) {
        String plain = type.replaceAll("\\s+", " ");
        for (Map.Entry<String, String> name : SHORT.entrySet()) {
            plain = plain.replace(name.getKey(), name.getValue());
        }
        return plain;
    }

    /** The arguments whose defaults are others there. */
    List<Argument> differences(SqlSignature other, JdbcClient jdbc) {
        List<Argument> differences = new ArrayList<>();
        for (int i = 0; i < arguments.size(); i++) {
            if (!arguments.get(i).hasDefaultOf(other.arguments.get(i), jdbc)) {
                differences.add(arguments.get(i));
            }
        }
        return differences;
    }

    /** The same without defaults, to be looked for. */
    String shape() {
        return "%s%s %s"
                .formatted(
                        name,
                        arguments.stream()
                                .map(argument -> argument.name() + " " + argument.type())
                                .toList(),
                        result);
    }
}
