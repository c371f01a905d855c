package dev.jobqueue.autoconfigure;

import dev.jobqueue.JobContext;
import dev.jobqueue.JobHandler;
import java.io.IOException;
import java.io.OutputStream;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Import;

/** A node that works the steps of flows, in a process of its own, to be killed. */
@EnableAutoConfiguration
@Import(FlowNode.Steps.class)
class FlowNode {

    public static void main(String[] args) throws IOException {
        SpringApplication.run(FlowNode.class, args);
        // ends with whoever started it, and before that not
        System.in.transferTo(OutputStream.nullOutputStream());
        System.exit(0);
    }

    static class Steps {

        @JobHandler(value = "cluster.step", maxAttempts = 100, backoff = "10ms")
        String step(JobContext job) throws InterruptedException {
            Thread.sleep(5);
            return String.valueOf(job.flowStep());
        }

        @JobHandler("cluster.finish")
        void finish() {}
    }
}
