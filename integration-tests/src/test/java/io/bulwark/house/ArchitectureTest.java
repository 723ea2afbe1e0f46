package io.bulwark.house;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaParameterizedType;
import com.tngtech.archunit.core.domain.JavaType;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.core.importer.Location;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import com.tngtech.archunit.library.Architectures;
import io.bulwark.protocol.metadata.Command;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import org.jspecify.annotations.NullMarked;

/** Dependency rules of the architecture (docs/architecture.md) that the module graph alone does not enforce. */
@NullMarked
@AnalyzeClasses(
        packages = "io.bulwark",
        importOptions = {ImportOption.DoNotIncludeTests.class, ArchitectureTest.NoTestJars.class})
class ArchitectureTest {
    /** Once packaged, the test classes of a module lie in a jar of their own, which no path of a tests folder gives away. */
    static final class NoTestJars implements ImportOption {
        @Override
        public boolean includes(Location location) {
            return !location.contains("-tests.jar");
        }
    }

    @ArchTest
    static final ArchRule ARROWS = Architectures.layeredArchitecture()
            .consideringOnlyDependenciesInLayers()
            .layer("protocol")
            .definedBy("io.bulwark.protocol..")
            .layer("transport")
            .definedBy("io.bulwark.transport..")
            .layer("client")
            .definedBy("io.bulwark.client..")
            .optionalLayer("simulation")
            .definedBy("io.bulwark.simulation..")
            .layer("storage")
            .definedBy("io.bulwark.storage..")
            .layer("metadata")
            .definedBy("io.bulwark.metadata..")
            .layer("console")
            .definedBy("io.bulwark.console..")
            .layer("gateway")
            .definedBy("io.bulwark.gateway..")
            .layer("appliance")
            .definedBy("io.bulwark.appliance..")
            .whereLayer("appliance")
            .mayNotBeAccessedByAnyLayer()
            .whereLayer("console")
            .mayOnlyBeAccessedByLayers("appliance")
            .whereLayer("gateway")
            .mayOnlyBeAccessedByLayers("appliance")
            .whereLayer("metadata")
            .mayOnlyBeAccessedByLayers("appliance")
            .whereLayer("storage")
            .mayOnlyBeAccessedByLayers("appliance")
            .whereLayer("simulation")
            .mayOnlyBeAccessedByLayers("appliance")
            .whereLayer("client")
            .mayOnlyBeAccessedByLayers("storage", "metadata", "console", "gateway", "appliance")
            .whereLayer("transport")
            .mayOnlyBeAccessedByLayers("client", "storage", "metadata", "console", "gateway", "appliance");

    @ArchTest
    static final ArchRule PROTOCOLS_DO_NO_IO = noClasses()
            .that()
            .resideInAnyPackage("io.bulwark.protocol..", "io.bulwark.simulation..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                    "java.net..",
                    "java.nio.file..",
                    "java.nio.channels..",
                    "java.util.concurrent.locks..",
                    "io.netty..")
            .orShould()
            .dependOnClassesThat()
            .belongToAnyOf(Thread.class, java.io.File.class, java.time.Clock.class, java.util.Timer.class);

    @ArchTest
    static final ArchRule PROTOCOLS_HAVE_NO_CLOCK_OR_RANDOMNESS_OF_THEIR_OWN = noClasses()
            .that()
            .resideInAnyPackage("io.bulwark.protocol..", "io.bulwark.simulation..")
            .should()
            .callMethod(System.class, "currentTimeMillis")
            .orShould()
            .callMethod(System.class, "nanoTime")
            .orShould()
            .callMethod(Math.class, "random")
            .orShould()
            .dependOnClassesThat()
            .belongToAnyOf(java.security.SecureRandom.class, java.util.concurrent.ThreadLocalRandom.class);

    @ArchTest
    static final ArchRule SPRING_STAYS_AT_THE_EDGES = noClasses()
            .that()
            .resideOutsideOfPackages("io.bulwark.console..", "io.bulwark.appliance.boot..")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("org.springframework..");

    @ArchTest
    static final ArchRule ONE_CLASS_LOADS_NATIVE_SIGNATURES = noClasses()
            .that()
            .haveNameNotMatching("io\\.bulwark\\.transport\\.identity\\.NativeP256(\\$.*)?")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("com.amazon.corretto..");

    /** One class chooses the provider, and checks ranges whatever the provider is. */
    @ArchTest
    static final ArchRule ONE_CLASS_SIGNS_VERIFIES_AND_AGREES = noClasses()
            .that()
            .doNotHaveFullyQualifiedName("io.bulwark.protocol.id.P256")
            .should()
            .dependOnClassesThat()
            .belongToAnyOf(java.security.Signature.class, javax.crypto.KeyAgreement.class);

    @ArchTest
    static final ArchRule NO_CYCLES_AMONG_PACKAGES =
            slices().matching("io.bulwark.(*).(*)..").should().beFreeOfCycles();

    /** The packages of the ordering engine follow the paper's sections (docs/ordering), the replica above all. */
    @ArchTest
    static final ArchRule NO_CYCLES_AMONG_PACKAGES_OF_THE_ORDERING_ENGINE =
            slices().matching("io.bulwark.protocol.ordering.(*)..").should().beFreeOfCycles();

    /**
     * Keys of hash tables must be comparable, as anyone who chooses names can choose names with equal hashes. A hash
     * table keeps such keys in a tree if their class is comparable with itself, and searches all of them if not.
     * Commands are the node's own, and simulations have no attackers.
     */
    @ArchTest
    static final ArchRule KEYS_OF_HASH_TABLES_HAVE_AN_ORDER = fields().that()
            .areDeclaredInClassesThat()
            .resideOutsideOfPackage("io.bulwark.simulation..")
            .should(new ArchCondition<>("have keys that are comparable if those are records") {
                @Override
                public void check(JavaField field, ConditionEvents events) {
                    List<JavaClass> keys = new ArrayList<>();
                    addKeys(field.getType(), keys);
                    for (JavaClass key : keys) {
                        if (!isOrdered(key)) {
                            events.add(SimpleConditionEvent.violated(
                                    field, field.getFullName() + " has keys without an order: " + key.getName()));
                        }
                    }
                }
            });

    private static void addKeys(JavaType type, List<JavaClass> keys) {
        if (type instanceof JavaParameterizedType generic) {
            JavaClass table = generic.toErasure();
            List<JavaType> arguments = generic.getActualTypeArguments();
            boolean hashes = table.isAssignableTo(Map.class) || table.isAssignableTo(Set.class);
            if (hashes && !table.isAssignableTo(SortedMap.class) && !table.isAssignableTo(SortedSet.class)) {
                JavaClass key = arguments.getFirst().toErasure();
                keys.add(key);
                if (key.isInterface() && !key.isEquivalentTo(Command.class)) {
                    keys.addAll(key.getAllSubclasses());
                }
            }
            arguments.forEach(argument -> addKeys(argument, keys));
        }
    }

    private static boolean isOrdered(JavaClass key) {
        return !key.isRecord()
                || key.getInterfaces().stream()
                        .anyMatch(each -> each instanceof JavaParameterizedType comparable
                                && comparable.toErasure().isEquivalentTo(Comparable.class)
                                && comparable.getActualTypeArguments().equals(List.of(key)));
    }
}
