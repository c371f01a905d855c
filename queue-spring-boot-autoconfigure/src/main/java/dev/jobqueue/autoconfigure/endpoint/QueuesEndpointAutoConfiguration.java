package dev.jobqueue.autoconfigure.endpoint;

import dev.jobqueue.JobSchedules;
import dev.jobqueue.autoconfigure.QueueAutoConfiguration;
import dev.jobqueue.autoconfigure.QueueProperties;
import dev.jobqueue.internal.Json;
import dev.jobqueue.internal.node.RunningNode;
import dev.jobqueue.internal.operate.JobFinder;
import dev.jobqueue.internal.operate.Observations;
import dev.jobqueue.internal.operate.OperateCalls;
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
@ConditionalOnBean(Observations.class)
@ConditionalOnAvailableEndpoint(endpoint = QueuesEndpoint.class)
public final class QueuesEndpointAutoConfiguration {

    /** Called by Spring. */
    public QueuesEndpointAutoConfiguration() {}

    @Bean
    @ConditionalOnMissingBean
    QueuesEndpoint queuesEndpoint(
            Observations observations,
            JobFinder finder,
            OperateCalls operations,
            ObjectProvider<RunningNode> worker,
            ObjectProvider<JobSchedules> jobSchedules,
            Json json,
            QueueProperties properties) {
        QueueProperties.Endpoint settings = properties.endpoint();
        Queues queues = new Queues(
                observations.within(settings.timeout()), properties, worker.getIfAvailable(() -> () -> null));
        JobFinder patient = finder.within(settings.timeout());
        Jobs jobs = new Jobs(patient, json, properties, queues);
        JobSchedules found = jobSchedules.getIfAvailable();
        Schedules schedules = found == null ? null : new Schedules(found);
        return new QueuesEndpoint(queues, jobs, new Actions(operations, patient), schedules, settings);
    }
}
