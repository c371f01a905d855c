package dev.jobqueue.dashboard;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.util.DigestUtils;
import org.springframework.web.util.HtmlUtils;

/** The page and the files it loads, from a folder of the class path that nothing else serves. */
final class Assets {

    static final String FOLDER = "dev/jobqueue/dashboard/assets/";

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_-]+(\\.[A-Za-z0-9_-]+)+");

    /** Lines that are comments and nothing else; not those of licences. */
    private static final Pattern COMMENT = Pattern.compile("(?m)^ *(?://.*|/\\*(?s:(?!@license).)*?\\*/)$");

    private static final Map<String, String> TYPES = Map.of(
            "js", "text/javascript;charset=utf-8",
            "css", "text/css;charset=utf-8",
            "svg", "image/svg+xml",
            "png", "image/png",
            "ico", "image/x-icon",
            "woff2", "font/woff2",
            "txt", "text/plain;charset=utf-8");

    private final Map<String, Asset> known = new ConcurrentHashMap<>();

    private static final class Asset {
        final byte[] bytes;
        final String tag;

        Asset(byte[] bytes) {
            this.bytes = bytes;
            this.tag = '"' + DigestUtils.md5DigestAsHex(bytes) + '"';
        }
    }

    /** Writes the page, which learns from its base where it is. */
    void page(HttpServletResponse response, String base) throws IOException {
        Asset page = find("index.html");
        if (page == null) {
            throw Refusal.missing("The dashboard has no pages in this build.");
        }
        String html = new String(page.bytes, StandardCharsets.UTF_8).replace("{base}", HtmlUtils.htmlEscape(base));
        Responses.write(response, HttpStatus.OK, "text/html;charset=utf-8", html.getBytes(StandardCharsets.UTF_8));
    }

    void file(HttpServletRequest request, HttpServletResponse response, String name) throws IOException {
        String type = TYPES.get(name.substring(name.lastIndexOf('.') + 1));
        Asset asset = type == null || !NAME.matcher(name).matches() ? null : find(name);
        if (type == null || asset == null) {
            throw Refusal.missing("There is no such file.");
        }
        response.setHeader("Cache-Control", "no-cache");
        response.setHeader("ETag", asset.tag);
        if (asset.tag.equals(request.getHeader("If-None-Match"))) {
            response.setStatus(HttpStatus.NOT_MODIFIED.value());
            return;
        }
        Responses.write(response, HttpStatus.OK, type, asset.bytes);
    }

    private @Nullable Asset find(String name) {
        Asset found = known.get(name);
        if (found == null) {
            found = read(name);
            if (found != null) {
                known.put(name, found);
            }
        }
        return found;
    }

    private static @Nullable Asset read(String name) {
        try (InputStream stream = Assets.class.getClassLoader().getResourceAsStream(FOLDER + name)) {
            if (stream == null) {
                return null;
            }
            byte[] bytes = stream.readAllBytes();
            return new Asset(name.endsWith(".js") || name.endsWith(".css") ? withoutComments(bytes) : bytes);
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

    /** Comments are for those who read the source. Empty lines stay, so that browsers tell the same numbers. */
    static byte[] withoutComments(byte[] source) {
        return COMMENT.matcher(new String(source, StandardCharsets.UTF_8))
                .replaceAll(comment -> "\n".repeat((int) comment.group().lines().count() - 1))
                .getBytes(StandardCharsets.UTF_8);
    }
}
