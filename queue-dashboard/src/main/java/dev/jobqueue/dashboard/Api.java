package dev.jobqueue.dashboard;

import dev.jobqueue.dashboard.Routes.Match;
import jakarta.servlet.http.HttpServletRequest;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The calls of the pages: which there are, and what answers them. */
final class Api {

    private final Routes routes = new Routes();
    private final RecentAnswers recent;
    private final Access access;
    private final QueueDashboardProperties properties;

    Api(Access access, QueueDashboardProperties properties, RecentAnswers recent) {
        this.access = access;
        this.properties = properties;
        this.recent = recent;
        routes.get("me", call -> me(call.request(), call.caller()));
    }

    /** Adds what can be looked at. */
    Api look(Overview overview, JobViews jobs, Completion completion, OtherViews others) {
        routes.get("overview", call -> overview.current());
        routes.get("queues", call -> overview.queues());
        routes.get("charts", others::charts);
        routes.get("jobs", jobs::list);
        routes.get("jobs/*", jobs::one);
        routes.get("complete", completion::complete);
        routes.get("dead", call -> others.dead());
        routes.get("schedules", call -> others.schedules());
        routes.get("nodes", call -> others.nodes());
        routes.get("audit", others::audit);
        return this;
    }

    /** Adds limits and lanes. */
    Api limits(Limits limits) {
        routes.get("limits", call -> limits.list());
        routes.get("lanes", limits::lanes);
        routes.post("limits/*", limits::act);
        return this;
    }

    /** Adds batches and flows. */
    Api flows(Flows flows) {
        routes.get("flows", flows::list);
        routes.get("flows/*", flows::one);
        routes.post("flows/*/*", flows::act);
        return this;
    }

    /** Adds what can be done. */
    Api act(Actions actions, BulkTasks tasks, Publishing publishing, Recorder recorder) {
        routes.get("tasks/*", tasks::show);
        routes.post("jobs/actions", tasks::start);
        routes.post("jobs/*/*", actions::onJob);
        routes.post("queues/*", actions::onQueue);
        routes.post("schedules/*", actions::onSchedule);
        routes.post("audit/*/undo", recorder::undo);
        routes.post("publish", publishing::publish);
        return this;
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
