package dev.jobqueue;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Says that jobs with the annotated payload class are messages for a broker: {@code jobs.publish(event)} stores one in
 * the caller's transaction, and a node sends it after the commit. The same as {@link Forward}, said once.
 *
 * <pre>{@code
 * @Forwarded(kafka = "orders", key = "orderId", ordered = true)
 * record OrderPlaced(long orderId, String customer) {}
 * }</pre>
 *
 * <p>Name either a topic of Kafka or an exchange of RabbitMQ. A class has this or {@link JobType}, not both.
 */
@Documented
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
public @interface Forwarded {

    /**
     * The topic of Kafka.
     *
     * @return the topic; empty for RabbitMQ
     */
    String kafka() default "";

    /**
     * The exchange of RabbitMQ.
     *
     * @return the exchange; empty for Kafka
     */
    String rabbit() default "";

    /**
     * The routing key of RabbitMQ.
     *
     * @return the routing key
     */
    String routingKey() default "";

    /**
     * A path in the payload, such as {@code orderId} or {@code customer.id}: the key of the message in Kafka, and what
     * has an order.
     *
     * @return the path; empty for no key
     */
    String key() default "";

    /**
     * Whether messages of one key are sent in the order of publishing. In Kafka this needs a {@link #key()}; without
     * one, RabbitMQ's messages of one exchange and routing key have an order.
     *
     * @return whether they are
     */
    boolean ordered() default false;

    /**
     * The type of the event, for messages with the headers of CloudEvents.
     *
     * @return the type; empty for a message without these headers, unless {@code queue.forward.cloud-events} adds them
     */
    String cloudEvent() default "";
}
