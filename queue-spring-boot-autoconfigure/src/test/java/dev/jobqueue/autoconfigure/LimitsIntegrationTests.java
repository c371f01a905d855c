package dev.jobqueue.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.AtLimit;
import dev.jobqueue.FairShare;
import dev.jobqueue.Fifo;
import dev.jobqueue.HandlerDefinition;
import dev.jobqueue.JobHandler;
import dev.jobqueue.Limit;
import dev.jobqueue.LimitDefinition;
import dev.jobqueue.OnDead;
import dev.jobqueue.postgres.TestDatabase;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.core.annotation.AliasFor;
import org.springframework.jdbc.core.simple.JdbcClient;

/** What becomes of annotations and properties in the database. */
@ExtendWith(OutputCaptureExtension.class)
class LimitsIntegrationTests {

    private static final TestDatabase database = TestDatabase.create();
    private static final JdbcClient jdbc = JdbcClient.create(database.dataSource());
    private static final ApplicationContextRunner shop =
            QueueApplication.on(database).withPropertyValues("spring.application.name=shop");

    @BeforeEach
    void reset() {
        start(shop);
        jdbc.sql("TRUNCATE queue.job_limit, queue.limit_use").update();
    }

    private static void start(ApplicationContextRunner application) {
        application.run(context -> assertThat(context).hasNotFailed());
    }

    /** A limit without what is usual. */
    private static String limit(String name) {
        return jdbc.sql("SELECT (jsonb_strip_nulls(to_jsonb(l)) - 'name')::text FROM queue.job_limit l WHERE name = ?")
                .param(name)
                .query(String.class)
                .optional()
                .orElse("none")
                .replace("\"on_dead\": \"BLOCK\"", "")
                .replace("\"at_limit\": \"WAIT\"", "")
                .replaceAll("(, )+", ", ")
                .replace(", }", "}")
                .replace("{, ", "{");
    }

    /** The limits of a type or queue, with their keys. */
    private static String uses(String user) {
        return jdbc.sql("SELECT coalesce(string_agg(name || ' by ' || coalesce(key, '-'), ', ' ORDER BY name), 'none')"
                        + " FROM queue.limit_use WHERE ? IN (type, queue)")
                .param(user)
                .query(String.class)
                .single();
    }

    @Test
    void comeFromAnnotations() {
        start(shop.withBean(Handlers.class));

        assertThat(limit("crm")).isEqualTo("{\"kind\": \"LIMIT\", \"owner\": \"shop\", \"running\": 2}");
        assertThat(limit("crm-api"))
                .contains("\"rate\": 100", "\"burst\": 10", "\"period\": \"00:00:10\"", "\"at_limit\": \"REPLACE\"");
        assertThat(uses("crm.sync")).isEqualTo("crm by account, crm-api by -");
        assertThat(limit("ledger.book")).contains("\"kind\": \"FIFO\"", "\"on_dead\": \"CONTINUE\"");
        assertThat(uses("ledger.book")).isEqualTo("ledger.book by account.id");
        assertThat(limit("mail.send")).contains("\"kind\": \"FAIR\"", "\"weights\": {\"*\": 1, \"big\": 3}");
        assertThat(uses("mail.send")).isEqualTo("mail.send by header:tenant");
    }

    @Test
    void comeFromAnnotationsOnAnnotationsAndFromInterfaces() {
        start(shop.withBean(Composed.class).withBean(Implementation.class));

        assertThat(limit("partner")).contains("\"running\": 7");
        assertThat(uses("composed")).isEqualTo("partner by account");
        assertThat(uses("declared")).isEqualTo("declared by -");
        assertThat(limit("declared")).contains("\"running\": 4");
    }

    @Test
    void comeFromDefinitionsAndHoldForFormerNamesOfTheType() {
        start(shop.withBean(
                HandlerDefinition.class,
                () -> HandlerDefinition.of("new.name", Map.class, (payload, job) -> null)
                        .aliases("old.name")
                        .limit(LimitDefinition.ofRunning("crm", 3), "account")));

        assertThat(limit("crm")).contains("\"running\": 3");
        assertThat(uses("new.name")).isEqualTo("crm by account");
        assertThat(uses("old.name")).isEqualTo("crm by account");
    }

    @Test
    void areOverriddenByProperties() {
        start(shop.withBean(Handlers.class)
                .withPropertyValues(
                        "queue.limits.crm.running=5",
                        "queue.limits.crm.key=customer",
                        "queue.limits.crm-api.rate=5000/1h",
                        "queue.limits.crm-api.at-limit=wait",
                        "queue.limits[ledger.book].on-dead=block",
                        "queue.limits[mail.send].weights.small=2",
                        "queue.limits[mail.send].weights[*]=4"));

        assertThat(limit("crm")).contains("\"running\": 5");
        assertThat(uses("crm.sync")).isEqualTo("crm by customer, crm-api by -");
        assertThat(limit("crm-api"))
                .contains("\"rate\": 5000", "\"period\": \"01:00:00\"", "\"burst\": 10")
                .doesNotContain("at_limit");
        assertThat(limit("ledger.book")).contains("FIFO").doesNotContain("on_dead");
        assertThat(limit("mail.send")).contains("\"weights\": {\"*\": 4, \"small\": 2}");
    }

    @Test
    void haveNoKeyIfAPropertySaysSo() {
        start(shop.withBean(Handlers.class).withPropertyValues("queue.limits.crm.key="));

        assertThat(uses("crm.sync")).isEqualTo("crm by -, crm-api by -");
    }

    @Test
    void areDefinedByPropertiesForTypesAndQueuesWithoutAHandler() {
        start(shop.withBean(Handlers.class)
                .withPropertyValues(
                        "queue.limits.bulk.running=3",
                        "queue.limits.bulk.queues=bulk,night",
                        "queue.limits.order.kind=fifo",
                        "queue.limits.order.key=header:order",
                        "queue.limits.order.types=order.ship,mail.send"));

        assertThat(uses("bulk")).isEqualTo("bulk by -");
        assertThat(uses("night")).isEqualTo("bulk by -");
        assertThat(limit("order")).contains("\"kind\": \"FIFO\"", "\"running\": 1");
        assertThat(uses("order.ship")).isEqualTo("order by header:order");
        assertThat(uses("mail.send")).isEqualTo("mail.send by header:tenant, order by header:order");
    }

    @Test
    void changeAtTheNextStart() {
        start(shop.withBean(Handlers.class));
        start(shop.withBean(Handlers.class).withPropertyValues("queue.limits.crm.running=5"));
        assertThat(limit("crm")).contains("\"running\": 5");

        start(shop.withBean(Handlers.class));
        assertThat(limit("crm")).contains("\"running\": 2");
    }

    @Test
    void endForATypeWhoseHandlerHasNoneAnyMore(CapturedOutput output) {
        start(shop.withBean(Handlers.class)
                .withPropertyValues("queue.limits.bulk.running=3", "queue.limits.bulk.queues=bulk"));
        jdbc.sql("SELECT queue.use_limits('plain', NULL, '{crm}', NULL, 'other')")
                .query()
                .singleRow();
        start(shop.withBean(Unlimited.class));

        assertThat(uses("crm.sync")).isEqualTo("none");
        assertThat(uses("bulk")).isEqualTo("none");
        assertThat(uses("ledger.book"))
                .as("of a handler that another node may have")
                .isEqualTo("ledger.book by account.id");
        assertThat(uses("plain")).as("of another application").isEqualTo("crm by -");
        assertThat(limit("crm")).as("jobs may wait for it").contains("\"running\": 2");
        assertThat(output)
                .containsOnlyOnce("Type 'crm.sync' has no limits in this application any more")
                .containsOnlyOnce("Queue 'bulk' has no limits in this application any more");
    }

    @Test
    void stayAsAnOperatorSetThem(CapturedOutput output) {
        start(shop.withBean(Handlers.class));
        jdbc.sql("SELECT queue.set_limit('crm', running => 9)").query().singleRow();
        start(shop.withBean(Handlers.class));

        assertThat(limit("crm")).isEqualTo("{\"kind\": \"LIMIT\", \"running\": 9}");
        assertThat(output)
                .containsOnlyOnce("The limit 'crm' is what an operator set (limit, running 9), not what this"
                        + " application defines (limit, running 2). To go back, set it to the application's values");

        jdbc.sql("SELECT queue.set_limit('crm', running => 2)").query().singleRow();
        start(shop.withBean(Handlers.class));
        assertThat(limit("crm")).contains("\"owner\": \"shop\"", "\"running\": 2");
        assertThat(output).containsOnlyOnce("is what an operator set (");
    }

    @Test
    void keepTheTypesThatAnOperatorGaveThem(CapturedOutput output) {
        start(shop.withBean(Handlers.class));
        jdbc.sql("SELECT queue.use_limits('crm.sync', NULL, '{crm}', '{customer}')")
                .query()
                .singleRow();
        start(shop.withBean(Handlers.class));

        assertThat(uses("crm.sync")).isEqualTo("crm by customer");
        assertThat(output).contains("What limits type 'crm.sync' is what an operator set, among it 'crm'");
    }

    @Test
    void areReplacedForTwoApplicationsWithAWarning(CapturedOutput output) {
        start(shop.withBean(Handlers.class));
        ApplicationContextRunner stock = shop.withPropertyValues("spring.application.name=stock");
        start(stock.withBean(Handlers.class));
        assertThat(output).doesNotContain("had other values");

        start(stock.withBean(Handlers.class)
                .withPropertyValues("queue.limits.crm.running=5", "queue.limits.crm.key=customer"));
        assertThat(output)
                .contains("The limit 'crm' had other values, set by the application 'shop'")
                .contains("What limits type 'crm.sync' had other values, set by the application 'shop'");
    }

    @Test
    void areSetWithoutWaitingWhereNothingChanges() throws SQLException {
        start(shop.withBean(Handlers.class));
        try (Connection other = database.connect()) {
            hold(other, "SELECT queue.set_limit('crm', running => 9)");
            start(shop.withBean(Handlers.class));
            other.rollback();
        }
    }

    @Test
    void failTheStartWhenSomebodyHoldsThemForLong() throws SQLException {
        start(shop.withBean(Handlers.class));
        try (Connection other = database.connect()) {
            hold(other, "SELECT queue.set_limit('crm', running => 9)");
            shop.withBean(Handlers.class)
                    .withPropertyValues("queue.limits.crm.running=5")
                    .run(context -> {
                        assertThat(context).hasFailed();
                        FailureAnalysis analysis = new QueueFailureAnalyzer().analyze(context.getStartupFailure());
                        assertThat(analysis).isNotNull();
                        assertThat(analysis.getDescription())
                                .contains(
                                        "The limit 'crm' cannot be stored",
                                        "is locked for more than 5 seconds by the" + " session");
                        assertThat(analysis.getAction()).contains("End the transaction");
                    });
            other.rollback();
        }
    }

    private static void hold(Connection connection, String sql) throws SQLException {
        connection.setAutoCommit(false);
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    static class Handlers {

        @JobHandler("crm.sync")
        @Limit(name = "crm", key = "account", running = 2)
        @Limit(name = "crm-api", rate = "100/10s", burst = 10, atLimit = AtLimit.REPLACE)
        void sync(Map<String, Object> payload) {}

        @JobHandler("ledger.book")
        @Fifo(key = "account.id", onDead = OnDead.CONTINUE)
        void book(Map<String, Object> payload) {}

        @JobHandler("mail.send")
        @FairShare(
                key = "header:tenant",
                weights = {"big=3", "*=1"})
        void mail(Map<String, Object> payload) {}
    }

    static class Unlimited {

        @JobHandler("crm.sync")
        void sync(Map<String, Object> payload) {}

        @JobHandler("plain")
        void plain(Map<String, Object> payload) {}
    }

    @Target(ElementType.METHOD)
    @Retention(RetentionPolicy.RUNTIME)
    @Limit(name = "partner", key = "account")
    @interface PartnerLimit {

        @AliasFor(annotation = Limit.class, attribute = "running")
        int atOnce();
    }

    static class Composed {

        @JobHandler("composed")
        @PartnerLimit(atOnce = 7)
        void handle(Map<String, Object> payload) {}
    }

    interface Declaration {

        @JobHandler("declared")
        @Limit(running = 3)
        void handle(Map<String, Object> payload);
    }

    static class Implementation implements Declaration {

        @Override
        @Limit(running = 4)
        public void handle(Map<String, Object> payload) {}
    }
}
