package io.bulwark.simulation.register;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.Runs;
import io.bulwark.protocol.cluster.Protocol;
import io.bulwark.simulation.campaign.InvariantViolation;
import io.bulwark.simulation.campaign.Run;
import io.bulwark.simulation.campaign.Setting;
import io.bulwark.simulation.campaign.Shape;
import io.bulwark.simulation.campaign.SimulatedProtocol;
import io.bulwark.simulation.fp.FpParts;
import io.bulwark.simulation.fp.FpProtocol;
import io.bulwark.simulation.fp.FpWorld;
import io.bulwark.simulation.pasis.PasisParts;
import io.bulwark.simulation.pasis.PasisProtocol;
import io.bulwark.simulation.pasis.PasisWorld;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Holders of registers are replaced again and again while clients write and read, some lie, and all crash and restart; fixed seeds. */
@NullMarked
class RegisterReplacementTest {
    private static final int RUNS = Runs.of(8);
    private static final int STEPS = Integer.getInteger("bulwark.steps", 120);
    private static final int SHOWN = 80;

    private static Setting setting(long seed) {
        return Shape.any().withSteps(STEPS).setting(seed);
    }

    private static SimulatedProtocol replacing(Protocol protocol) {
        return switch (protocol) {
            case FP -> FpProtocol.replacing(FpParts.PRODUCTION);
            case PASIS -> PasisProtocol.replacing(PasisParts.PRODUCTION);
            case MASKING -> PasisProtocol.masking(PasisParts.PRODUCTION, true);
            case ARCHIVE -> throw new AssertionError("registers have no archive class");
        };
    }

    private static long epochsOpened(Run run) {
        return switch (run.world()) {
            case FpWorld world -> world.epochsOpened();
            case PasisWorld world -> world.epochsOpened();
            default -> throw new AssertionError("no world of registers: " + run.world());
        };
    }

    @ParameterizedTest
    @EnumSource(
            value = Protocol.class,
            names = {"FP", "PASIS"})
    void nothingIsLostWhenNodesAreReplaced(Protocol protocol) {
        SimulatedProtocol replacing = replacing(protocol);
        long first = Long.getLong("bulwark.seed", 1);
        System.out.println(
                "RegisterReplacementTest " + replacing.name() + " seeds " + first + " to " + (first + RUNS - 1));
        long opened = 0;
        List<AssertionError> found = new ArrayList<>();
        for (long seed = first; seed < first + RUNS; seed++) {
            Run run = new Run(replacing, setting(seed));
            run.go().ifPresent(violation -> found.add(told(replacing, run, violation)));
            opened += epochsOpened(run);
        }
        System.out.println("RegisterReplacementTest " + replacing.name() + ": " + opened + " epochs opened");
        found.forEach(error -> System.out.println(error.getMessage()));
        if (!found.isEmpty()) {
            throw found.getFirst();
        }
        assertThat(opened).as("epochs that opened").isPositive();
    }

    private static int generationsOpened(Run run) {
        return switch (run.world()) {
            case FpWorld world -> world.generationsOpened();
            case PasisWorld world -> world.generationsOpened();
            default -> throw new AssertionError("no world of registers: " + run.world());
        };
    }

    /** Other n, m and f in new groups, while the old ones are read on, and their holders are replaced. */
    @ParameterizedTest
    @EnumSource(
            value = Protocol.class,
            names = {"FP", "PASIS", "MASKING"})
    void nothingIsLostWhenPoliciesChange(Protocol protocol) {
        SimulatedProtocol changing = protocol == Protocol.FP
                ? FpProtocol.changingPolicy(FpParts.PRODUCTION)
                : PasisProtocol.changingPolicy(PasisParts.PRODUCTION, protocol);
        long first = Long.getLong("bulwark.seed", 1);
        int opened = 0;
        List<AssertionError> found = new ArrayList<>();
        for (long seed = first; seed < first + RUNS; seed++) {
            Run run = new Run(changing, setting(seed));
            run.go().ifPresent(violation -> found.add(told(changing, run, violation)));
            opened += generationsOpened(run);
        }
        System.out.println("RegisterReplacementTest " + changing.name() + " seeds " + first + " to "
                + (first + RUNS - 1) + ": " + opened + " policies came into use");
        found.forEach(error -> System.out.println(error.getMessage()));
        if (!found.isEmpty()) {
            throw found.getFirst();
        }
        assertThat(opened).as("policies that came into use").isPositive();
    }

    /** One of the two faulty nodes lies only once the volume tolerates two for good. */
    @Test
    void nothingIsLostWhenFewerAndMoreFaultsAreTolerated() {
        SimulatedProtocol masking = PasisProtocol.masking(PasisParts.PRODUCTION, true);
        Shape twoFaults = new Shape(
                OptionalInt.empty(),
                OptionalInt.of(2),
                OptionalInt.empty(),
                OptionalInt.empty(),
                OptionalInt.of(STEPS));
        long first = Long.getLong("bulwark.seed", 1);
        int raised = 0;
        int lowered = 0;
        for (long seed = first; seed < first + RUNS; seed++) {
            Run run = new Run(masking, twoFaults.setting(seed));
            run.go().ifPresent(violation -> {
                throw told(masking, run, violation);
            });
            PasisWorld world = (PasisWorld) run.world();
            raised += world.faultsTolerated() == 2 ? 1 : 0;
            lowered += world.timesLowered();
        }
        assertThat(lowered).as("times that volumes came to tolerate fewer").isPositive();
        assertThat(raised).as("volumes that tolerate more").isPositive();
    }

    private static AssertionError told(SimulatedProtocol replacing, Run run, InvariantViolation violation) {
        StringBuilder trace = new StringBuilder();
        run.lastEvents(SHOWN).forEach(entry -> trace.append(entry).append('\n'));
        return new AssertionError(
                trace + replacing.name() + " " + run.setting() + '\n' + violation.getMessage(), violation);
    }
}
