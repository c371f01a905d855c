package dev.jobqueue.guide;

import dev.jobqueue.Batch;
import dev.jobqueue.Flow;
import dev.jobqueue.From;
import dev.jobqueue.Job;
import dev.jobqueue.JobContext;
import dev.jobqueue.JobHandler;
import dev.jobqueue.JobPublisher;
import dev.jobqueue.JobType;
import dev.jobqueue.OnParentDead;
import dev.jobqueue.PermanentJobException;
import dev.jobqueue.operate.FlowSummary;
import dev.jobqueue.operate.JobOperations;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Transactional;

@Component
class Flows {

    private final JobPublisher jobs;
    private final JobOperations operations;
    private final Outside outside;

    Flows(JobPublisher jobs, JobOperations operations, Outside outside) {
        this.jobs = jobs;
        this.operations = operations;
        this.outside = outside;
    }

    // snippet: batch
    @Transactional
    UUID sendNewsletter(long issue, Stream<String> readers) {
        return jobs.publish(Batch.of("newsletter")
                .key(issue)
                .add(readers.map(reader -> new MailIssue(issue, reader)))
                .onSuccess(new ReportIssue(issue, "sent"))
                .onDeath(new ReportIssue(issue, "in trouble")));
    }
    // end

    FlowSummary progress(UUID id) {
        // snippet: batch-progress
        FlowSummary batch = operations.findFlow(id).orElseThrow();
        String text = "%d of %d done, %d dead".formatted(batch.done(), batch.total(), batch.dead());
        // end
        outside.mail("ada@example.org", text);
        return batch;
    }

    // snippet: batch-add
    @JobHandler("folder.scan")
    void scan(Folder folder, JobContext job) {
        for (String name : folder.folders()) {
            job.addToBatch(Job.of("folder.scan", new Folder(name, List.of()))); // the batch waits for it too
        }
    }
    // end

    UUID scanAll(Folder folder) {
        return jobs.publish(Batch.of("scan").add(Job.of("folder.scan", folder)));
    }

    UUID placeOrder(long orderId, List<String> items) {
        // snippet: flow
        UUID flow = jobs.publish(Flow.of("order", orderId) // unique by name and key
                .step("pay", new Pay(orderId))
                .step("pack", new Pack(orderId))
                .after("pay")
                .each("label", items, item -> new PrintLabel(orderId, item)) // one job for each item
                .after("pack")
                .step("send", new SendParcel(orderId))
                .after("label") // when all labels are printed
                .compensate("pay", new Refund(orderId))); // if the flow fails after it was paid
        // end
        return flow;
    }

    // snippet: flow-handlers
    @JobHandler
    Receipt pay(Pay order) {
        return new Receipt(order.orderId(), 4200);
    }

    @JobHandler
    String print(PrintLabel label) {
        return "label of " + label.item();
    }

    @JobHandler
    void send(SendParcel parcel, @From("pay") Receipt receipt, @From("label") List<String> labels) {
        outside.mail("warehouse@example.org", receipt.cents() + " " + labels);
    }
    // end

    @JobHandler
    void pack(Pack order) {
        if (order.orderId() < 0) {
            throw new IllegalStateException("Nothing to pack");
        }
    }

    @JobHandler
    void refund(Refund order, @From("pay") Receipt receipt) {
        outside.mail("bank@example.org", "refund " + receipt.cents());
    }

    UUID chain() {
        // snippet: chain
        UUID flow = jobs.publish(Flow.of("nightly")
                .then("export", Job.of("export", null).timeout(Duration.ofHours(1)))
                .then("upload", Job.of("upload", null).maxAttempts(10))
                .then("tidy", Job.of("tidy", null))
                .onParentDead(OnParentDead.RUN)); // tidy up in any case
        // end
        return flow;
    }

    UUID askForApproval(long orderId) {
        // snippet: signal
        UUID flow = jobs.publish(Flow.of("approval", orderId)
                .signal("decision", Duration.ofDays(2)) // dead if nobody decides
                .step("act", new ActOnDecision(orderId))
                .after("decision"));
        // end
        return flow;
    }

    boolean decide(UUID flow, String by) {
        // snippet: signal-send
        boolean counts = jobs.signal(flow, "decision", new Decision(by, true)); // the first one counts
        // end
        return counts;
    }

    @JobHandler
    void act(ActOnDecision order, @From("decision") Decision decision) {
        outside.mail(decision.by(), "accepted " + decision.accepted());
    }

    // snippet: flow-grow
    @JobHandler("export")
    void export(JobContext job) {
        job.addStep("audit", Job.of("audit", null), "export", "upload"); // after these two
    }
    // end

    @JobHandler("upload")
    void upload() {}

    @JobHandler("audit")
    void audit() {
        outside.mail("audit@example.org", "audited");
    }

    @JobHandler("tidy")
    void tidy() {}

    @JobHandler
    void mail(MailIssue mail) {
        if (mail.reader().startsWith("none")) {
            throw new PermanentJobException("No such reader");
        }
    }

    @JobHandler
    void report(ReportIssue report) {
        outside.mail("editor@example.org", "Issue " + report.issue() + " is " + report.text());
    }

    @JobType("issue.mail")
    record MailIssue(long issue, String reader) {}

    @JobType("issue.report")
    record ReportIssue(long issue, String text) {}

    record Folder(String name, List<String> folders) {}

    @JobType("order.pay")
    record Pay(long orderId) {}

    @JobType("order.pack")
    record Pack(long orderId) {}

    @JobType("order.label")
    record PrintLabel(long orderId, String item) {}

    @JobType("order.send")
    record SendParcel(long orderId) {}

    @JobType("order.refund")
    record Refund(long orderId) {}

    record Receipt(long orderId, int cents) {}

    @JobType("decision.act")
    record ActOnDecision(long orderId) {}

    record Decision(String by, boolean accepted) {}
}
