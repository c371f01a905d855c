package dev.jobqueue.dashboard;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.web.util.UriUtils;

/** Which call of the API a method and a path mean. A part of a pattern that is {@code *} stands for any name. */
final class Routes {

    /** Answers a call with what becomes its JSON. */
    @FunctionalInterface
    interface Endpoint {
        @Nullable
        Object answer(Call call);
    }

    /**
     * An endpoint that was found.
     *
     * @param names what stood for the open parts of its pattern
     */
    record Match(Endpoint endpoint, List<String> names) {}

    private record Route(String method, List<String> pattern, Endpoint endpoint) {}

    private final List<Route> routes = new ArrayList<>();

    Routes get(String pattern, Endpoint endpoint) {
        return add("GET", pattern, endpoint);
    }

    Routes post(String pattern, Endpoint endpoint) {
        return add("POST", pattern, endpoint);
    }

    private Routes add(String method, String pattern, Endpoint endpoint) {
        routes.add(new Route(method, List.of(pattern.split("/")), endpoint));
        return this;
    }

    /**
     * Return the first route that fits.
     *
     * @param path encoded, below the path of the API and without a slash at its beginning
     */
    Optional<Match> find(String method, String path) {
        List<String> parts = List.of(path.split("/", -1));
        for (Route route : routes) {
            if (route.method().equals(method) && route.pattern().size() == parts.size()) {
                List<String> names = names(route.pattern(), parts);
                if (names != null) {
                    return Optional.of(new Match(route.endpoint(), names));
                }
            }
        }
        return Optional.empty();
    }

    private static @Nullable List<String> names(List<String> pattern, List<String> parts) {
        List<String> names = new ArrayList<>();
        for (int i = 0; i < parts.size(); i++) {
            if (pattern.get(i).equals("*")) {
                names.add(UriUtils.decode(parts.get(i), StandardCharsets.UTF_8));
            } else if (!pattern.get(i).equals(parts.get(i))) {
                return null;
            }
        }
        return names;
    }
}
