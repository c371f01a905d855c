package dev.jobqueue.internal.migrate;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.JarURLConnection;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;

/**
 * The files that make the schema: tables by version ({@code V1__jobs.sql}), and functions and views in one folder for
 * each room ({@code claim/R__claim.sql}), all of which are made anew whenever anything changed.
 */
final class SchemaFiles {

    private static final String FOLDER = "dev/jobqueue/schema/";
    private static final String FIRST = "V1__jobs.sql";

    private final List<File> versions;
    private final List<File> functions;

    private SchemaFiles(List<File> files) {
        this.versions = files.stream()
                .filter(File::isVersion)
                .sorted(Comparator.comparing(File::version))
                .toList();
        this.functions = files.stream()
                .filter(File::isFunction)
                .sorted(Comparator.comparing(File::name))
                .toList();
        if (versions.isEmpty() || functions.isEmpty()) {
            throw new IllegalStateException("The files of the schema are missing, only these are there: " + files);
        }
    }

    /** The files that were built together with this class: in a folder, a jar, or a jar within a jar. */
    static SchemaFiles ofThisCode() {
        URL first = Objects.requireNonNull(
                SchemaFiles.class.getClassLoader().getResource(FOLDER + FIRST),
                "%s%s is not on the class path".formatted(FOLDER, FIRST));
        try {
            if (!(first.openConnection() instanceof JarURLConnection connection)) {
                return in(Objects.requireNonNull(Path.of(first.toURI()).getParent()));
            }
            connection.setUseCaches(false);
            try (JarFile jar = connection.getJarFile()) {
                String prefix = connection
                        .getEntryName()
                        .substring(0, connection.getEntryName().length() - FIRST.length());
                List<File> files = new ArrayList<>();
                for (ZipEntry entry : jar.stream().toList()) {
                    if (entry.getName().startsWith(prefix) && entry.getName().endsWith(".sql")) {
                        try (InputStream content = jar.getInputStream(entry)) {
                            files.add(File.of(fileName(entry.getName()), content.readAllBytes()));
                        }
                    }
                }
                return new SchemaFiles(files);
            }
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        } catch (URISyntaxException ex) {
            throw new IllegalStateException(ex);
        }
    }

    /** The script that makes roles, which no migration runs. */
    static String roles() {
        try (InputStream content = Objects.requireNonNull(
                SchemaFiles.class.getClassLoader().getResourceAsStream(FOLDER + "optional/roles.sql"))) {
            return new String(content.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

    static SchemaFiles in(Path folder) {
        try (Stream<Path> paths = Files.walk(folder)) {
            List<File> files = new ArrayList<>();
            for (Path path : paths.filter(Files::isRegularFile).toList()) {
                files.add(File.of(path.getFileName().toString(), Files.readAllBytes(path)));
            }
            return new SchemaFiles(files);
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

    private static String fileName(String path) {
        return path.substring(path.lastIndexOf('/') + 1);
    }

    /** The version that these files make. */
    int version() {
        return versions.get(versions.size() - 1).version();
    }

    /** Differs whenever the text of any file does. */
    String fingerprint() {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            Stream.concat(versions.stream(), functions.stream()).forEach(file -> {
                digest.update(file.name().getBytes(StandardCharsets.UTF_8));
                digest.update(file.text().getBytes(StandardCharsets.UTF_8));
            });
            return HexFormat.of().formatHex(digest.digest(), 0, 8);
        } catch (NoSuchAlgorithmException ex) {
            throw new IllegalStateException(ex);
        }
    }

    /**
     * What to run, in this order.
     *
     * @param version what is there already: its tables and those of older versions are left out; 0 for none
     */
    List<File> after(int version) {
        List<File> files = new ArrayList<>();
        versions.stream().filter(file -> file.version() > version).forEach(files::add);
        functions.stream().map(this::filledIn).forEach(files::add);
        return files;
    }

    private File filledIn(File file) {
        return new File(
                file.name(),
                file.text()
                        .replace("${version}", Integer.toString(version()))
                        .replace("${fingerprint}", fingerprint()));
    }

    /** A file and what is in it. */
    record File(String name, String text) {

        /** Line ends of other systems are no difference. */
        static File of(String name, byte[] content) {
            return new File(name, new String(content, StandardCharsets.UTF_8).replace("\r\n", "\n"));
        }

        boolean isVersion() {
            return name.matches("V\\d+__.*\\.sql");
        }

        boolean isFunction() {
            return name.matches("R__.*\\.sql");
        }

        /** 12 of {@code V12__name.sql}. */
        int version() {
            return Integer.parseInt(name.substring(1, name.indexOf("__")));
        }
    }
}
