package dev.jobqueue.guide;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.operate.FlowGraph;
import dev.jobqueue.operate.FlowState;
import dev.jobqueue.operate.JobOperations;
import dev.jobqueue.test.AutoConfigureJobTest;
import dev.jobqueue.test.JobDatabase;
import dev.jobqueue.test.JobTester;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.transaction.annotation.Transactional;

/** The examples of batches and flows do what the guide says. */
@SpringBootTest(webEnvironment = WebEnvironment.NONE)
@AutoConfigureJobTest
@JobDatabase
@Transactional
class GuideFlowsIntegrationTests {

    @Autowired
    private Flows flows;

    @Autowired
    private Outside outside;

    @Autowired
    private JobOperations operations;

    @Autowired
    private JobTester tester;

    @BeforeEach
    void forgetMails() {
        outside.mails.clear();
    }

    private FlowState state(UUID flow) {
        return operations.findFlow(flow).orElseThrow().state();
    }

    @Test
    void sendsANewsletter() {
        UUID batch = flows.sendNewsletter(7, Stream.of("ada", "bob", "cid"));
        assertThat(flows.sendNewsletter(7, Stream.of("dan"))).isEqualTo(batch);
        tester.drain();
        assertThat(flows.progress(batch).percent()).isEqualTo(100);
        assertThat(outside.mails)
                .containsExactly("editor@example.org: Issue 7 is sent", "ada@example.org: 3 of 3 done, 0 dead");
    }

    @Test
    void tellsOfTheFirstReaderWhoIsDead() {
        UUID batch = flows.sendNewsletter(8, Stream.of("none1", "none2", "cid"));
        tester.drain();
        assertThat(state(batch)).isEqualTo(FlowState.FAILED);
        assertThat(outside.mails)
                .filteredOn(mail -> !mail.startsWith("ops@"))
                .containsExactly("editor@example.org: Issue 8 is in trouble");
    }

    @Test
    void scansFoldersThatItFinds() {
        UUID batch = flows.scanAll(new Flows.Folder("home", List.of("music", "mail")));
        tester.drain();
        assertThat(operations.findFlow(batch).orElseThrow().total()).isEqualTo(3);
    }

    @Test
    void paysPacksAndSendsAnOrder() {
        UUID flow = flows.placeOrder(42, List.of("cup", "bowl"));
        tester.drain();
        assertThat(state(flow)).isEqualTo(FlowState.SUCCEEDED);
        assertThat(outside.mails).containsExactly("warehouse@example.org: 4200 [label of cup, label of bowl]");
    }

    @Test
    void refundsAnOrderThatCannotBePacked() {
        UUID flow = flows.placeOrder(-1, List.of("cup"));
        tester.drainIncludingRetries();
        assertThat(state(flow)).isEqualTo(FlowState.FAILED);
        assertThat(outside.mails)
                .filteredOn(mail -> !mail.startsWith("ops@"))
                .containsExactly("bank@example.org: refund 4200");
    }

    @Test
    void addsAStepToAChain() {
        UUID flow = flows.chain();
        tester.drain();
        assertThat(state(flow)).isEqualTo(FlowState.SUCCEEDED);
        assertThat(operations.flowGraph(flow).orElseThrow().nodes())
                .extracting(FlowGraph.Node::name)
                .containsExactly("export", "upload", "tidy", "audit");
        assertThat(outside.mails).containsExactly("audit@example.org: audited");
    }

    @Test
    void waitsForADecision() {
        UUID flow = flows.askForApproval(1);
        tester.drain();
        assertThat(flows.decide(flow, "ada@example.org")).isTrue();
        assertThat(flows.decide(flow, "bob@example.org")).isFalse();
        tester.drain();
        assertThat(outside.mails).containsExactly("ada@example.org: accepted true");
        UUID late = flows.askForApproval(2);
        tester.advance(Duration.ofDays(3));
        assertThat(state(late)).isEqualTo(FlowState.FAILED);
    }
}
