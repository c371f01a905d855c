package dev.jobqueue.autoconfigure.health;

import static dev.jobqueue.autoconfigure.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.autoconfigure.QueueProperties;
import dev.jobqueue.internal.Loop;
import dev.jobqueue.internal.node.NodeStatus.ThreadStatus;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;

class AssessmentTests {

    private final Assessment assessment = new Assessment(
            new Binder(new MapConfigurationPropertySource(Map.of())).bindOrCreate("queue", QueueProperties.class));

    @Test
    void isCriticalWhenAThreadOfOursIsStuckAndNamesIt() {
        CountDownLatch released = new CountDownLatch(1);
        Loop settler = Loop.daemon("queue-settler", Duration.ofMillis(10), released::await);
        settler.start();
        await().until(() -> settler.state() == Loop.State.STUCK);
        assessment.threads(List.of(ThreadStatus.of(settler)));
        settler.end();
        released.countDown();

        assertThat(assessment.level()).isEqualTo(Level.CRITICAL);
        assertThat(assessment.details().get("problems"))
                .asString()
                .contains("Thread 'queue-settler' has not come back from one call for ");
        assertThat(assessment.details().get("threads")).hasToString("{queue-settler=STUCK}");
    }
}
