package dev.jobqueue.sample.shipping;

import dev.jobqueue.Batch;
import dev.jobqueue.Flow;
import dev.jobqueue.Job;
import dev.jobqueue.JobPublisher;
import dev.jobqueue.operate.FlowGraph;
import dev.jobqueue.operate.FlowSummary;
import dev.jobqueue.operate.JobOperations;
import dev.jobqueue.sample.shipping.ShippingHandlers.Issue;
import dev.jobqueue.sample.shipping.ShippingHandlers.Item;
import dev.jobqueue.sample.shipping.ShippingHandlers.Order;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

@RestController
class ShippingController {

    private final JobPublisher jobs;
    private final JobOperations operations;
    private final AtomicLong numbers = new AtomicLong(System.currentTimeMillis());

    ShippingController(JobPublisher jobs, JobOperations operations) {
        this.jobs = jobs;
        this.operations = operations;
    }

    /** The steps of an order. If one of them is dead, the customer gets the money back. */
    @PostMapping("/shipments")
    @ResponseStatus(HttpStatus.ACCEPTED)
    Map<String, UUID> ship(@RequestParam(defaultValue = "false") boolean fail) {
        Order order = new Order(numbers.incrementAndGet(), fail);
        UUID flow = jobs.publish(Flow.of("order", order.number())
                .step("pay", Job.of("order.pay", order))
                .step("pack", Job.of("order.pack", order))
                .after("pay")
                .each("label", List.of("cup", "bowl", "plate"), item -> new Item(order.number(), item))
                .after("pack")
                .step("mail", Job.of("order.mail", order))
                .after("label")
                .compensate("pay", Job.of("order.refund", order)));
        return Map.of("flowId", flow);
    }

    /** One mail for each reader, and a report when all of them have ended. */
    @PostMapping("/newsletters")
    @ResponseStatus(HttpStatus.ACCEPTED)
    Map<String, UUID> send(@RequestParam @Min(0) @Max(100_000) int readers) {
        long number = numbers.incrementAndGet();
        UUID batch = jobs.publish(Batch.of("newsletter")
                .add(IntStream.range(0, readers)
                        .mapToObj(reader -> Job.of("newsletter.mail", new Issue(number, reader))))
                .onFinish(Job.of("newsletter.report", new Issue(number, readers))));
        return Map.of("flowId", batch);
    }

    @GetMapping("/flows/{id}")
    ResponseEntity<Progress> show(@PathVariable UUID id) {
        return ResponseEntity.of(operations.findFlow(id).map(this::progress));
    }

    private Progress progress(FlowSummary flow) {
        List<FlowGraph.Node> steps =
                operations.flowGraph(flow.id()).map(FlowGraph::nodes).orElse(List.of());
        return new Progress(
                flow.name(),
                flow.state().name(),
                flow.total(),
                flow.done(),
                flow.dead(),
                steps.stream()
                        .map(step -> "%s: %s".formatted(step.name(), step.state()))
                        .toList());
    }

    record Progress(String name, String state, long total, long done, long dead, List<String> steps) {}
}
