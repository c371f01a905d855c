package dev.jobqueue.docs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The comments of the records behind maps of properties, which the metadata leaves to IDEs to look up. */
final class RecordComments {

    private static final Path SOURCES = Path.of("../queue-spring-boot-autoconfigure/src/main/java");

    private RecordComments() {}

    static String meaning(Class<?> type, String component) {
        String comment = comment(type);
        Matcher param = Pattern.compile("@param " + component + " (.*?)(?=@param |\\*/)", Pattern.DOTALL)
                .matcher(comment);
        if (!param.find()) {
            throw new AssertionError("%s.%s has no @param".formatted(type.getSimpleName(), component));
        }
        return param.group(1).replaceAll("\\s*\\n\\s*\\*\\s?\\s*", " ").strip();
    }

    private static String comment(Class<?> type) {
        Class<?> top = type.getNestHost();
        String source = read(SOURCES.resolve(top.getName().replace('.', '/') + ".java"));
        int at = source.indexOf("record " + type.getSimpleName() + "(");
        return source.substring(source.lastIndexOf("/**", at), at);
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }
}
