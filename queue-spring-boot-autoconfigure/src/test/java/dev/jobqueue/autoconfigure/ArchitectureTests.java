package dev.jobqueue.autoconfigure;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.members;
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
import org.jspecify.annotations.NullMarked;

@AnalyzeClasses(packages = "dev.jobqueue.autoconfigure", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTests {

    @ArchTest
    static final ArchRule publicSignaturesNameNothingInternal =
            members().that().areDeclaredInClassesThat().arePublic().should(nameNothingInternal());

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
