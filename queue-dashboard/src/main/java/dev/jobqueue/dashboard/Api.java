package dev.jobqueue.dashboard;

import dev.jobqueue.dashboard.Routes.Match;
import jakarta.servlet.http.HttpServletRequest;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The calls of the pages: finds what answers them, and keeps answers that several pages ask for. */
final class Api {

    private final Routes routes = new Routes();
    private final RecentAnswers recent;
    private final Access access;
    private final QueueDashboardProperties properties;

    Api(Access access, QueueDashboardProperties properties, RecentAnswers recent, Stream<Endpoints> endpoints) {
        this.access = access;
        this.properties = properties;
        this.recent = recent;
        routes.get("me", call -> me(call.request(), call.caller()));
        endpoints.forEach(each -> each.addTo(routes));
    }

    Match find(String method, String what) {
        return routes.find(method, what)
                .orElseThrow(() -> Refusal.missing("The dashboard has no '%s' to %s.".formatted(what, method)));
    }

    /** The JSON of the answer. What several pages ask for within a moment is looked up once. */
    byte[] answer(Match match, Call call, boolean acts, String what) {
        if (acts) {
            byte[] answer = Responses.MAPPER.writeValueAsBytes(match.endpoint().answer(call));
            recent.forget();
            return answer;
        }
        if (what.equals("me") || what.startsWith("tasks/")) {
            return Responses.MAPPER.writeValueAsBytes(match.endpoint().answer(call));
        }
        String query = call.request().getQueryString();
        return recent.get(
                query == null ? what : what + '?' + query,
                call.patience(),
                () -> Responses.MAPPER.writeValueAsBytes(match.endpoint().answer(call)));
    }

    private Map<String, @Nullable Object> me(HttpServletRequest request, Caller caller) {
        Map<String, @Nullable Object> me = new LinkedHashMap<>();
        me.put("user", caller.name());
        me.put("canAct", caller.canAct());
        me.put("canPublish", caller.canAct() && properties.publish());
        me.put("readOnly", properties.readOnly());
        me.put("csrf", access.csrf(request));
        me.put("version", Api.class.getPackage().getImplementationVersion());
        me.put("pollMs", properties.refresh().toMillis());
        return me;
    }
}
