package dev.jobqueue.dashboard;

import dev.jobqueue.dashboard.Routes.Match;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.HttpStatus;
import org.springframework.web.HttpRequestHandler;
import org.springframework.web.util.ServletRequestPathUtils;

/** Serves everything below the path of the dashboard, and lets no exception out to the application's error pages. */
final class DashboardHandler implements HttpRequestHandler {

    private static final Logger log = LoggerFactory.getLogger(DashboardHandler.class);

    private final String path;
    private final Access access;
    private final Assets assets;
    private final Api api;
    private final LiveStreams streams;

    DashboardHandler(String path, Access access, Assets assets, Api api, LiveStreams streams) {
        this.path = path;
        this.access = access;
        this.assets = assets;
        this.api = api;
        this.streams = streams;
    }

    @Override
    public void handleRequest(HttpServletRequest request, HttpServletResponse response)
            throws ServletException, IOException {
        var parsed = ServletRequestPathUtils.getParsedRequestPath(request);
        String within = parsed.pathWithinApplication().value();
        String below = within.substring(path.length());
        // the context path and the path of the servlet, with the prefix of a proxy
        String around = parsed.value().substring(0, parsed.value().length() - within.length());
        String base = around.replaceFirst("^/+", "/") + path + "/";
        Responses.secure(response);
        boolean isApi = below.startsWith("/api/");
        try {
            Caller caller = access.caller(request);
            if (caller == null) {
                askToLogIn(request, response, isApi);
            } else if (isApi) {
                api(request, response, caller, below.substring("/api/".length()));
            } else {
                page(request, response, base, below);
            }
        } catch (RuntimeException ex) {
            Refusal refusal = Failures.refusal(ex, request.getMethod() + " " + below);
            refuse(response, isApi, refusal.status(), refusal.text());
        }
    }

    private void page(HttpServletRequest request, HttpServletResponse response, String base, String below)
            throws IOException {
        String method = request.getMethod();
        if (!method.equals("GET") && !method.equals("HEAD")) {
            throw new Refusal(HttpStatus.METHOD_NOT_ALLOWED, "Pages can only be read.");
        }
        if (below.isEmpty()) {
            response.setStatus(HttpStatus.FOUND.value());
            String query = request.getQueryString();
            response.setHeader("Location", query == null ? base : base + '?' + query);
        } else if (below.startsWith("/assets/")) {
            assets.file(request, response, below.substring("/assets/".length()));
        } else {
            assets.page(response, base);
        }
    }

    private void api(HttpServletRequest request, HttpServletResponse response, Caller caller, String what)
            throws IOException {
        String method = request.getMethod();
        boolean acts = !method.equals("GET") && !method.equals("HEAD");
        SameOrigin.refuseOtherSites(request);
        if (acts) {
            SameOrigin.require(request);
            if (!caller.canAct()) {
                throw Refusal.forbidden("You may look at the dashboard, but not act.");
            }
        } else if (what.equals("stream")) {
            if (!method.equals("GET")) {
                throw new Refusal(HttpStatus.METHOD_NOT_ALLOWED, "A stream can only be read.");
            }
            streams.open(request, response);
            return;
        }
        Match match = api.find(acts ? method : "GET", what);
        Call call = new Call(request, caller, match.names());
        Responses.write(response, HttpStatus.OK, "application/json", api.answer(match, call, acts, what));
    }

    /** Where the application would ask for it. A page is led there; a script is told. */
    private static void askToLogIn(HttpServletRequest request, HttpServletResponse response, boolean isApi)
            throws IOException {
        String message = "Log in to look at the dashboard of the job queue.";
        if (isApi) {
            Responses.problem(response, HttpStatus.UNAUTHORIZED, message);
            return;
        }
        try {
            request.authenticate(response);
        } catch (ServletException ex) {
            log.debug("The application offers no login", ex);
        }
        if (!response.isCommitted() && response.getStatus() == HttpStatus.OK.value()) {
            Responses.text(response, HttpStatus.UNAUTHORIZED, message);
        }
    }

    private static void refuse(HttpServletResponse response, boolean isApi, HttpStatus status, String text)
            throws IOException {
        if (response.isCommitted()) {
            return;
        }
        response.setHeader("Cache-Control", "no-store");
        if (isApi) {
            Responses.problem(response, status, text);
        } else {
            Responses.text(response, status, text);
        }
    }
}
