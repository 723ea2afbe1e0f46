package io.bulwark.simulation.object;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.Runs;
import io.bulwark.protocol.cluster.Protocol;
import io.bulwark.simulation.campaign.Run;
import io.bulwark.simulation.campaign.Setting;
import io.bulwark.simulation.campaign.Shape;
import java.util.OptionalInt;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** An operator changes the policy of the volume and refills it, beside faulty nodes and clients (docs/decisions/0040). */
@NullMarked
@Tag("long")
class PolicyChangesTest {
    private static final int RUNS = Runs.of(3);
    private static final int STEPS = 60;
    private static final int SHOWN = 60;

    private static Setting setting(long seed) {
        return new Shape(
                        OptionalInt.empty(),
                        OptionalInt.empty(),
                        OptionalInt.empty(),
                        OptionalInt.empty(),
                        OptionalInt.of(STEPS))
                .setting(seed);
    }

    @ParameterizedTest
    @EnumSource
    void nothingIsLostWhenThePolicyChanges(Protocol protocol) {
        long first = Long.getLong("bulwark.seed", 1);
        System.out.println("PolicyChangesTest " + protocol + " seeds from " + first + " on");
        long changed = 0;
        long refilled = 0;
        for (long seed = first; seed < first + RUNS; seed++) {
            ObjectWorld world = run(protocol, setting(seed));
            changed += world.policyChanges();
            refilled += world.refilled();
        }
        assertThat(changed).as("changes of the policy").isPositive();
        assertThat(refilled).as("inodes that were refilled").isPositive();
    }

    private static ObjectWorld run(Protocol protocol, Setting setting) {
        Run run = new Run(ObjectProtocol.changingPolicy(ObjectParts.PRODUCTION, protocol), setting);
        run.go().ifPresent(violation -> {
            StringBuilder trace = new StringBuilder();
            run.lastEvents(SHOWN).forEach(entry -> trace.append('\n').append(entry));
            throw new AssertionError(setting.toString() + trace + '\n' + violation.getMessage(), violation);
        });
        return (ObjectWorld) run.world();
    }
}
