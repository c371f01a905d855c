package dev.jobqueue;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.belongToAnyOf;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import org.jspecify.annotations.NullMarked;

@AnalyzeClasses(packages = "dev.jobqueue", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTests {

    @ArchTest
    static final ArchRule coreIsFreeOfSpringBoot =
            noClasses().should().dependOnClassesThat().resideInAPackage("org.springframework.boot..");

    /** So nothing internal can stand in a public signature, nor root and internals be a cycle. */
    @ArchTest
    static final ArchRule theApiKnowsNothingInternal = noClasses()
            .that()
            .resideInAnyPackage("dev.jobqueue", "dev.jobqueue.operate", "dev.jobqueue.schedule", "dev.jobqueue.spi")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("dev.jobqueue.internal..");

    /**
     * Whoever only publishes and handles need not know of extensions. A {@link HandlerDefinition}, which is for
     * libraries, may take many jobs at once.
     */
    @ArchTest
    static final ArchRule theApiKnowsNothingOfItsExtensions = noClasses()
            .that()
            .resideInAPackage("dev.jobqueue")
            .and(not(belongToAnyOf(HandlerDefinition.class)))
            .should()
            .dependOnClassesThat()
            .resideInAPackage("dev.jobqueue.spi..");

    @ArchTest
    static final ArchRule internalPackagesAreFreeOfCycles =
            slices().matching("dev.jobqueue.internal.(**)").should().beFreeOfCycles();

    /** What all the parts use uses none of them. */
    @ArchTest
    static final ArchRule sharedInternalsKnowNoPart = noClasses()
            .that()
            .resideInAPackage("dev.jobqueue.internal")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("dev.jobqueue.internal.*..");

    @ArchTest
    static final ArchRule everyPackageIsNullMarked = classes()
            .should(ArchCondition.from(DescribedPredicate.<JavaClass>describe(
                    "be in a @NullMarked package", type -> type.getPackage().isAnnotatedWith(NullMarked.class))));
}
