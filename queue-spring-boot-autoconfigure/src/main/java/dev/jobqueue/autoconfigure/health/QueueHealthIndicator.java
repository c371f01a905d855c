package dev.jobqueue.autoconfigure.health;

import dev.jobqueue.autoconfigure.QueueProperties;
import dev.jobqueue.autoconfigure.forward.ForwardStatus;
import dev.jobqueue.internal.Outage;
import dev.jobqueue.internal.node.NodeStatus;
import dev.jobqueue.internal.operate.FigureReader;
import dev.jobqueue.operate.NodeFigures;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;

/** How the queue is doing; DOWN with the reason if the database does not answer in time. */
final class QueueHealthIndicator implements HealthIndicator, DisposableBean {

    private final FigureReader figures;
    private final Supplier<NodeStatus> node;
    private final BrokerHealth brokers;
    private final QueueProperties properties;
    private final TimedCall<Assessment> look;

    /**
     * @param node how this node is at the moment
     * @param brokers how it sends messages
     */
    QueueHealthIndicator(
            FigureReader figures, Supplier<NodeStatus> node, List<ForwardStatus> brokers, QueueProperties properties) {
        Duration timeout = properties.health().timeout();
        this.figures = figures.within(timeout);
        this.node = node;
        this.brokers = new BrokerHealth(brokers, properties.health().brokerCritical());
        this.properties = properties;
        this.look = new TimedCall<>("queue-health", timeout, this::look);
    }

    @Override
    public Health health() {
        try {
            Assessment assessment = look.get();
            boolean down =
                    assessment.level() == Level.CRITICAL && properties.health().criticalIsDown();
            return (down ? Health.down() : Health.up())
                    .withDetails(assessment.details())
                    .build();
        } catch (TimeoutException ex) {
            return away("The database did not answer within "
                    + properties.health().timeout().toMillis() + " ms");
        } catch (ExecutionException ex) {
            return away(Outage.describe(ex));
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
            return away("Interrupted while waiting for the database");
        }
    }

    private Health away(String reason) {
        Assessment local = new Assessment(properties);
        node(local);
        return Health.down()
                .withDetails(local.details())
                .withDetail("state", Level.CRITICAL)
                .withDetail("error", reason)
                .build();
    }

    private Assessment look() {
        Duration ttl = properties.worker().ttl();
        Assessment assessment = new Assessment(properties);
        assessment.queues(figures.figures(countLimit(), ttl));
        assessment.limits(figures.limits());
        assessment.nodes(figures.nodes(ttl).stream().filter(NodeFigures::isLive).count());
        node(assessment);
        assessment.unhandled(figures.unhandled(ttl));
        assessment.database(figures.database());
        return assessment;
    }

    private void node(Assessment assessment) {
        NodeStatus status = node.get();
        assessment.worker(status.worker());
        assessment.outages(status.outages());
        assessment.threads(status.threads());
        brokers.tell(assessment);
    }

    /** Thresholds above the limit would never be reached. */
    private int countLimit() {
        QueueProperties.Health health = properties.health();
        int limit = max(properties.metrics().countLimit(), health.deadWarning(), health.deadCritical());
        for (QueueProperties.Queue queue : properties.queues().values()) {
            limit = max(limit, queue.health().deadWarning(), queue.health().deadCritical());
            limit = max(limit, queue.health().pendingWarning(), queue.health().pendingCritical());
        }
        return max(limit, health.pendingWarning(), health.pendingCritical());
    }

    private static int max(int limit, @Nullable Integer warning, @Nullable Integer critical) {
        return Math.max(limit, Math.max(warning == null ? 0 : warning, critical == null ? 0 : critical));
    }

    @Override
    public void destroy() {
        look.close();
    }
}
