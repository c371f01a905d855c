package dev.jobqueue.test.shop;

import dev.jobqueue.JobContext;
import dev.jobqueue.JobHandler;
import java.util.concurrent.CompletableFuture;
import org.springframework.stereotype.Component;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/** Calls the context of a job where a test that rolls back cannot be seen. Without schedules. */
@Component
public class ElsewhereHandlers {

    private final TransactionTemplate anew;

    ElsewhereHandlers(PlatformTransactionManager transactions) {
        anew = new TransactionTemplate(transactions);
        anew.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
    }

    @JobHandler("elsewhere.log")
    void log(String where, JobContext job) {
        switch (where) {
            case "thread" -> CompletableFuture.runAsync(() -> job.log("here")).join();
            case "transaction" -> anew.executeWithoutResult(status -> job.log("here"));
            default -> job.log("here");
        }
    }

    @JobHandler(value = "elsewhere.log.transactional", transactional = true)
    void logInTransaction(String where, JobContext job) throws Exception {
        anew.execute(status -> {
            job.progress(50, "here");
            return job;
        });
    }
}
