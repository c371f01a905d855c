package dev.jobqueue.autoconfigure;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.members;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaMember;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import dev.jobqueue.internal.Counts;
import dev.jobqueue.internal.HandlerResults;
import dev.jobqueue.internal.Json;
import dev.jobqueue.internal.Outage;
import dev.jobqueue.internal.Spans;
import dev.jobqueue.internal.application.JobQueue;
import dev.jobqueue.internal.db.CallersTransaction;
import dev.jobqueue.internal.db.Database;
import dev.jobqueue.internal.db.Schema;
import dev.jobqueue.internal.extend.Extensions;
import dev.jobqueue.internal.handle.Application;
import dev.jobqueue.internal.handle.HandlerRegistry;
import dev.jobqueue.internal.limit.LimitCalls;
import dev.jobqueue.internal.migrate.FunctionRights;
import dev.jobqueue.internal.migrate.SchemaException;
import dev.jobqueue.internal.migrate.SchemaMigrator;
import dev.jobqueue.internal.node.NodeResources;
import dev.jobqueue.internal.node.NodeSettings;
import dev.jobqueue.internal.node.NodeStatus;
import dev.jobqueue.internal.operate.DatabaseFigures;
import dev.jobqueue.internal.operate.FigureReader;
import dev.jobqueue.internal.operate.MeterFigures;
import dev.jobqueue.internal.operate.OperateCalls;
import dev.jobqueue.internal.operate.QueueOperations;
import dev.jobqueue.internal.schedule.QueueSchedules;
import dev.jobqueue.internal.settle.FailureLog;
import java.util.Set;
import org.jspecify.annotations.NullMarked;

@AnalyzeClasses(packages = "dev.jobqueue.autoconfigure", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTests {

    @ArchTest
    static final ArchRule publicSignaturesNameNothingInternal =
            members().that().areDeclaredInClassesThat().arePublic().should(nameNothingInternal());

    /**
     * All that this module may know of the internals. Whoever adds to the list should first look whether
     * {@link JobQueue} could do it.
     */
    private static final Set<Class<?>> ENTRY_POINTS = Set.of(
            // the queue of one application, and what it is made of
            JobQueue.class,
            Application.class,
            Database.class,
            Schema.class,
            HandlerRegistry.class,
            Json.class,
            Extensions.class,
            // a node: how it works, what it gets, how it is
            NodeSettings.class,
            FailureLog.class,
            NodeResources.class,
            NodeStatus.class,
            Outage.class,
            // what is checked and stored at start
            SchemaMigrator.class,
            SchemaException.class,
            FunctionRights.class,
            CallersTransaction.class,
            HandlerResults.class,
            OperateCalls.class,
            LimitCalls.class,
            QueueSchedules.class,
            // what health, meters and the endpoint read
            QueueOperations.class,
            FigureReader.class,
            MeterFigures.class,
            DatabaseFigures.class,
            // words for people
            Spans.class,
            Counts.class);

    @ArchTest
    static final ArchRule onlyEntryPointsOfTheInternalsAreKnown = noClasses()
            .should()
            .dependOnClassesThat(new DescribedPredicate<>("are internal and no entry point") {
                @Override
                public boolean test(JavaClass type) {
                    return type.getPackageName().startsWith("dev.jobqueue.internal")
                            && ENTRY_POINTS.stream()
                                    .noneMatch(each -> type.getName().equals(each.getName())
                                            || type.getName().startsWith(each.getName() + "$"));
                }
            });

    @ArchTest
    static final ArchRule packagesAreFreeOfCycles = slices().matching("dev.jobqueue.autoconfigure.(**)")
            .should()
            .beFreeOfCycles()
            .allowEmptyShould(true);

    @ArchTest
    static final ArchRule everyPackageIsNullMarked = classes()
            .should(ArchCondition.from(DescribedPredicate.<JavaClass>describe(
                    "be in a @NullMarked package", type -> type.getPackage().isAnnotatedWith(NullMarked.class))));

    private static ArchCondition<JavaMember> nameNothingInternal() {
        return new ArchCondition<>("name nothing internal in a public or protected signature") {
            @Override
            public void check(JavaMember member, ConditionEvents events) {
                boolean visible = member.getModifiers().contains(JavaModifier.PUBLIC)
                        || member.getModifiers().contains(JavaModifier.PROTECTED);
                if (visible) {
                    member.getAllInvolvedRawTypes().stream()
                            .filter(type -> type.getPackageName().contains(".internal"))
                            .forEach(type -> events.add(SimpleConditionEvent.violated(
                                    member,
                                    "%s names the internal %s".formatted(member.getFullName(), type.getName()))));
                }
            }
        };
    }
}
