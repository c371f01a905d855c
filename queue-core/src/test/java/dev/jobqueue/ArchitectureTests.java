package dev.jobqueue;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.codeUnits;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import java.util.stream.Stream;

@AnalyzeClasses(packages = "dev.jobqueue", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTests {

    @ArchTest
    static final ArchRule coreIsFreeOfSpringBoot =
            noClasses().should().dependOnClassesThat().resideInAPackage("org.springframework.boot..");

    @ArchTest
    static final ArchRule packagesAreFreeOfCycles =
            slices().matching("dev.jobqueue.(**)").should().beFreeOfCycles();

    @ArchTest
    static final ArchRule publicSignaturesNameNothingInternal = codeUnits()
            .that()
            .areDeclaredInClassesThat()
            .resideOutsideOfPackage("..internal..")
            .and()
            .areDeclaredInClassesThat()
            .arePublic()
            .should(nameNothingInternal());

    private static ArchCondition<JavaCodeUnit> nameNothingInternal() {
        return new ArchCondition<>("name nothing internal in a public or protected signature") {
            @Override
            public void check(JavaCodeUnit unit, ConditionEvents events) {
                if (!isVisible(unit)) {
                    return;
                }
                Stream.concat(
                                unit.getRawParameterTypes().stream(),
                                Stream.concat(Stream.of(unit.getRawReturnType()), unit.getExceptionTypes().stream()))
                        .map(JavaClass::getBaseComponentType)
                        .filter(type -> type.getPackageName().contains(".internal"))
                        .forEach(type -> events.add(SimpleConditionEvent.violated(
                                unit, "%s names the internal %s".formatted(unit.getFullName(), type.getName()))));
            }
        };
    }

    private static boolean isVisible(JavaCodeUnit unit) {
        return unit.getModifiers().contains(JavaModifier.PUBLIC)
                || unit.getModifiers().contains(JavaModifier.PROTECTED);
    }
}
