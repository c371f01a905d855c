package dev.jobqueue.dashboard;

import dev.jobqueue.operate.AuditAction;
import dev.jobqueue.operate.JobAudit;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Does what people ask for and writes its entry of the audit: both in one transaction, or neither. */
final class Recorder implements Endpoints {

    private final JobAudit audit;
    private final Overview overview;
    private final Map<String, Undo> undos = new HashMap<>();

    Recorder(JobAudit audit, Overview overview) {
        this.audit = audit;
        this.overview = overview;
    }

    @Override
    public void addTo(Routes routes) {
        routes.post("audit/*/undo", this::undo);
    }

    /**
     * Something that was done.
     *
     * @param state the state in which the job is now, or what else there is to tell
     * @param jobs how many jobs it changed
     * @param undo what takes it back, as {@link Undo} reads it: an action and its values; {@code null} if nothing can
     */
    record Done(@Nullable Object state, long jobs, @Nullable Map<String, ? extends @Nullable Object> undo) {}

    /** Takes back what was done with things of one kind. */
    interface Undo {
        Done apply(String target, String action, JsonNode values);
    }

    /** Says who takes back what was done with things of a kind, which is what the names of its actions begin with. */
    void undoes(String kind, Undo undo) {
        undos.put(kind, undo);
    }

    Map<String, @Nullable Object> record(Caller caller, String action, String target, Supplier<Done> work) {
        Map<String, @Nullable Object> answer = audit.together(() -> {
            Done done = work.get();
            String undo = done.undo() == null ? null : Responses.MAPPER.writeValueAsString(done.undo());
            long entry = audit.record(AuditAction.on(caller.name(), action, target)
                    .jobs(done.jobs())
                    .undo(undo));
            return answer(done, undo == null ? null : entry);
        });
        overview.forget();
        return answer;
    }

    /** Takes an action back, which is an action of its own. */
    Map<String, @Nullable Object> undo(Call call) {
        long id = OtherViews.number(call.name());
        String actor = call.caller().name();
        Map<String, @Nullable Object> answer = audit.together(() -> {
            AuditAction undone = audit.undo(id, actor);
            String kind = undone.action().replaceFirst("\\..*", "");
            String target = String.valueOf(undone.target());
            JsonNode values = Responses.MAPPER.readTree(String.valueOf(undone.undo()));
            String action = values.path("action").asString();
            Undo undo = undos.get(kind);
            if (undo == null) {
                throw Refusal.invalid("What was done with a %s cannot be undone.".formatted(kind));
            }
            Done done = undo.apply(target, action, values);
            audit.record(AuditAction.on(actor, kind + "." + action, target).jobs(done.jobs()));
            return answer(done, null);
        });
        overview.forget();
        return answer;
    }

    private static Map<String, @Nullable Object> answer(Done done, @Nullable Long entry) {
        Map<String, @Nullable Object> answer = new LinkedHashMap<>();
        answer.put("state", done.state());
        answer.put("undo", entry == null ? null : Map.of("id", entry));
        return answer;
    }
}
