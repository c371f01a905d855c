package dev.jobqueue.dashboard;

import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.web.servlet.handler.AbstractHandlerMethodMapping;
import org.springframework.web.servlet.handler.AbstractUrlHandlerMapping;
import org.springframework.web.servlet.mvc.method.RequestMappingInfo;

/**
 * Lets an application fail at start that has pages of its own below the path of the dashboard, which would hide them.
 * Patterns that match any path, such as those of single-page applications, are meant for what nobody else answers.
 */
final class PathCheck implements SmartInitializingSingleton {

    private final String path;
    private final ObjectProvider<AbstractHandlerMethodMapping<RequestMappingInfo>> controllers;
    private final ObjectProvider<AbstractUrlHandlerMapping> others;

    PathCheck(
            String path,
            ObjectProvider<AbstractHandlerMethodMapping<RequestMappingInfo>> controllers,
            ObjectProvider<AbstractUrlHandlerMapping> others) {
        this.path = path;
        this.controllers = controllers;
        this.others = others;
    }

    @Override
    public void afterSingletonsInstantiated() {
        Stream.concat(
                        controllers.stream().flatMap(each -> each.getHandlerMethods().entrySet().stream()),
                        others.stream().flatMap(each -> each.getHandlerMap().entrySet().stream()))
                .filter(each -> !(each.getValue() instanceof DashboardHandler))
                .forEach(this::check);
    }

    private void check(Map.Entry<?, ?> mapping) {
        Stream<String> patterns = mapping.getKey() instanceof RequestMappingInfo info
                ? info.getPatternValues().stream()
                : Stream.of(String.valueOf(mapping.getKey()));
        Optional<String> taken =
                patterns.filter(each -> (each + "/").startsWith(path + "/")).findFirst();
        if (taken.isPresent()) {
            throw new PathTakenException(path, taken.get(), String.valueOf(mapping.getValue()));
        }
    }

    /** The application has a page where the dashboard is. */
    static final class PathTakenException extends RuntimeException {

        private static final long serialVersionUID = 1L;

        PathTakenException(String path, String pattern, String handler) {
            super("The dashboard of the job queue would be served at '%s', where the application has '%s' (%s)."
                    .formatted(path, pattern, handler));
        }
    }
}
