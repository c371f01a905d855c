package dev.jobqueue.autoconfigure.modulith;

import dev.jobqueue.Forward;
import dev.jobqueue.Job;
import dev.jobqueue.JobPublisher;
import dev.jobqueue.autoconfigure.InvalidQueueConfigurationException;
import dev.jobqueue.autoconfigure.QueueProperties.BrokerName;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.context.ApplicationListener;
import org.springframework.context.PayloadApplicationEvent;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.expression.spel.support.StandardEvaluationContext;
import org.springframework.modulith.events.EventExternalizationConfiguration;
import org.springframework.modulith.events.support.BrokerRouting;
import org.springframework.modulith.events.support.EventExternalizerModuleListener;

/**
 * Publishes a message for each event that Spring Modulith is to externalize, on the thread and in the transaction of
 * whoever publishes the event. Modulith itself says which events these are, where they go and what is sent.
 */
final class ModulithEvents implements ApplicationListener<PayloadApplicationEvent<?>>, SmartInitializingSingleton {

    private final ObjectProvider<JobPublisher> jobs;
    private final EventExternalizationConfiguration events;
    private final BrokerName broker;
    private final BeanFactory beans;
    private final StandardEvaluationContext expressions = new StandardEvaluationContext();

    ModulithEvents(
            ObjectProvider<JobPublisher> jobs,
            EventExternalizationConfiguration events,
            BrokerName broker,
            BeanFactory beans) {
        this.jobs = jobs;
        this.events = events;
        this.broker = broker;
        this.beans = beans;
        expressions.setBeanResolver(new BeanFactoryResolver(beans));
    }

    /** Refuses a second transport: each event would be sent twice. */
    @Override
    public void afterSingletonsInstantiated() {
        if (beans.getBeanProvider(EventExternalizerModuleListener.class).stream()
                .findAny()
                .isPresent()) {
            throw new InvalidQueueConfigurationException(
                    "queue.forward.modulith forwards externalized events by the queue, but Spring Modulith sends them"
                            + " too.",
                    "Remove spring-modulith-events-kafka or spring-modulith-events-amqp from the class path, or the"
                            + " property.");
        }
    }

    @Override
    public void onApplicationEvent(PayloadApplicationEvent<?> event) {
        Object payload = event.getPayload();
        if (events.supports(payload)) {
            jobs.getObject().publish(message(payload));
        }
    }

    private Job message(Object event) {
        BrokerRouting routing = BrokerRouting.of(events.determineTarget(event), expressions);
        Object body = events.map(event);
        String target = routing.getTarget(body);
        String key = routing.getKey(body);
        Map<String, Object> headers = events.getHeadersFor(body);
        return broker == BrokerName.KAFKA
                ? with(kafka(target, key), headers, body)
                : with(rabbit(target, key), headers, body);
    }

    private static Forward.Kafka kafka(String topic, @Nullable String key) {
        Forward.Kafka message = Forward.kafka(topic);
        return key == null ? message : message.key(key).ordered();
    }

    private static Forward.Rabbit rabbit(String exchange, @Nullable String key) {
        Forward.Rabbit message = Forward.rabbit(exchange);
        return key == null ? message : message.routingKey(key).ordered();
    }

    /** Events that are mapped to bytes are serialized already. */
    private static <M extends Forward.Message<M>> Job with(M message, Map<String, Object> headers, Object body) {
        M changed = message;
        for (Map.Entry<String, Object> header : headers.entrySet()) {
            changed = changed.header(header.getKey(), String.valueOf(header.getValue()));
        }
        return body instanceof byte[] bytes ? changed.bytes(bytes) : changed.body(body);
    }

    /** On the thread of the publisher: an executor of the application would leave its transaction. */
    @Override
    public boolean supportsAsyncExecution() {
        return false;
    }
}
