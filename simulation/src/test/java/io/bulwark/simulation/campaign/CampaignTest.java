package io.bulwark.simulation.campaign;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.Runs;
import io.bulwark.simulation.extent.ExtentProtocol;
import io.bulwark.simulation.fp.FpParts;
import io.bulwark.simulation.fp.FpProtocol;
import io.bulwark.simulation.fp.FpWorld;
import io.bulwark.simulation.locking.LockingProtocol;
import io.bulwark.simulation.ordering.MembersProtocol;
import io.bulwark.simulation.ordering.OrderingProtocol;
import io.bulwark.simulation.pasis.PasisParts;
import io.bulwark.simulation.pasis.PasisProtocol;
import java.util.List;
import java.util.OptionalInt;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Fixed and fresh seeds of every protocol; a short run of the first fresh one is repeated and must give the same trace. */
@NullMarked
class CampaignTest {
    private static final int FIXED = Runs.of(2);
    private static final int FRESH = Runs.of(1);

    /** Steps of the run that is repeated: after so many a trace has entries of every kind. */
    private static final int REPEATED_STEPS = 40;

    private static final int SHOWN = 60;
    private static final int ENDS_WITHIN = 30;

    static List<SimulatedProtocol> protocols() {
        return List.of(
                new FpProtocol(),
                new PasisProtocol(),
                PasisProtocol.replacing(PasisParts.PRODUCTION),
                PasisProtocol.masking(PasisParts.PRODUCTION, false),
                FpProtocol.changingPolicy(FpParts.PRODUCTION),
                new ExtentProtocol(),
                ExtentProtocol.pasis(),
                ExtentProtocol.archive(),
                new OrderingProtocol(),
                new MembersProtocol(),
                new LockingProtocol());
    }

    @ParameterizedTest
    @MethodSource("protocols")
    void noInvariantIsViolated(SimulatedProtocol protocol) {
        long fresh = Long.getLong("bulwark.seed", System.nanoTime() >>> 8);
        System.out.println("CampaignTest " + protocol.name() + " seeds 1 to " + FIXED + ", " + fresh + " and after");
        for (long seed = 1; seed <= FIXED; seed++) {
            run(protocol, seed);
        }
        for (long seed = fresh; seed < fresh + FRESH; seed++) {
            run(protocol, seed);
        }
        Setting repeated = Shape.any().withSteps(REPEATED_STEPS).setting(fresh);
        String trace = run(protocol, repeated);
        assertThat(run(protocol, repeated))
                .as("trace of seed %s, run again", fresh)
                .isEqualTo(trace);
    }

    /** Campaigns found a fault with each of them. */
    @Test
    void seedsThatFoundSomethingFindNothingNow() {
        Shape oneFault = new Shape(
                OptionalInt.empty(), OptionalInt.of(1), OptionalInt.empty(), OptionalInt.empty(), OptionalInt.empty());
        run(new FpProtocol(), oneFault.setting(52507));
        run(new ExtentProtocol(), oneFault.setting(221604));
        run(new OrderingProtocol(), oneFault.setting(237264));
        run(new OrderingProtocol(), oneFault.setting(188005197));
        run(new PasisProtocol(), 8);
        run(new PasisProtocol(), 286);
        run(new PasisProtocol(), oneFault.setting(10000214));
        run(new ExtentProtocol(), 16);
        run(new ExtentProtocol(), 106);
    }

    /** Else nothing would be known of what holds then. */
    @Test
    void revocationsEndAmongNodesThatLie() {
        long seed = 0;
        boolean ended = false;
        while (!ended && seed < ENDS_WITHIN) {
            Run run = new Run(new FpProtocol(), Shape.any().setting(++seed));
            run.go();
            ended = run.world() instanceof FpWorld world && world.hasRevokedAmongLiars();
        }
        assertThat(ended).isTrue();
    }

    private static String run(SimulatedProtocol protocol, long seed) {
        return run(protocol, Shape.any().setting(seed));
    }

    /** Returns the digest of the run's trace. */
    private static String run(SimulatedProtocol protocol, Setting setting) {
        Run run = new Run(protocol, setting);
        run.go().ifPresent(violation -> {
            StringBuilder trace = new StringBuilder();
            run.lastEvents(SHOWN).forEach(entry -> trace.append('\n').append(entry));
            throw new AssertionError(
                    protocol.name() + " " + setting + trace + '\n' + violation.getMessage(), violation);
        });
        return run.traceDigest();
    }
}
