package dev.jobqueue.autoconfigure.endpoint;

import dev.jobqueue.autoconfigure.QueueAutoConfiguration;
import dev.jobqueue.autoconfigure.QueueProperties;
import dev.jobqueue.autoconfigure.forward.ForwardStatus;
import dev.jobqueue.internal.application.JobQueue;
import dev.jobqueue.internal.operate.QueueOperations;
import dev.jobqueue.operate.JobOperations;
import dev.jobqueue.schedule.JobSchedules;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** Auto-configuration of the endpoint {@code queues}, where it is exposed. */
@AutoConfiguration(after = QueueAutoConfiguration.class)
@ConditionalOnClass({Endpoint.class, ConditionalOnAvailableEndpoint.class})
@ConditionalOnBean(JobOperations.class)
@ConditionalOnAvailableEndpoint(endpoint = QueuesEndpoint.class)
public final class QueuesEndpointAutoConfiguration {

    /** Called by Spring. */
    public QueuesEndpointAutoConfiguration() {}

    @Bean
    @ConditionalOnMissingBean
    QueuesEndpoint queuesEndpoint(
            JobOperations jobOperations,
            JobQueue queue,
            ObjectProvider<JobSchedules> jobSchedules,
            ObjectProvider<ForwardStatus> brokers,
            QueueProperties properties) {
        QueueProperties.Endpoint settings = properties.endpoint();
        JobOperations operations =
                jobOperations instanceof QueueOperations own ? own.lookingWithin(settings.timeout()) : jobOperations;
        Queues queues =
                new Queues(operations, queue::status, brokers.orderedStream().toList());
        Jobs jobs = new Jobs(operations, queue.json(), queues);
        JobSchedules found = jobSchedules.getIfAvailable();
        Schedules schedules = found == null ? null : new Schedules(found);
        return new QueuesEndpoint(queues, jobs, operations, schedules, settings);
    }
}
