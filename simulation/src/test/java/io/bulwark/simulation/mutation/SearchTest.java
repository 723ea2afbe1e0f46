package io.bulwark.simulation.mutation;

import io.bulwark.protocol.cluster.Protocol;
import io.bulwark.simulation.campaign.Run;
import io.bulwark.simulation.campaign.Setting;
import io.bulwark.simulation.campaign.Shape;
import io.bulwark.simulation.campaign.SimulatedProtocol;
import io.bulwark.simulation.exhaustive.Explorer;
import io.bulwark.simulation.exhaustive.ExtentTinyWorlds;
import io.bulwark.simulation.exhaustive.FpTinyWorlds;
import io.bulwark.simulation.exhaustive.TinyWorld;
import io.bulwark.simulation.extent.ExtentParts;
import io.bulwark.simulation.extent.ExtentProtocol;
import io.bulwark.simulation.fp.FpParts;
import io.bulwark.simulation.fp.FpProtocol;
import io.bulwark.simulation.object.ObjectParts;
import io.bulwark.simulation.object.ObjectProtocol;
import io.bulwark.simulation.ordering.MembersProtocol;
import io.bulwark.simulation.pasis.PasisParts;
import io.bulwark.simulation.pasis.PasisProtocol;
import java.util.List;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * The searches that know nothing of any bug: campaigns from seed 1 on, and every order of the tiny worlds. They say in the first line
 * where they found something. Trials run them with planted bugs; that they find nothing where nothing is planted, CampaignTest and
 * the tests of the exhaustive searches say.
 */
@EnabledIfSystemProperty(named = "bulwark.runs", matches = ".+")
class SearchTest {
    private static final int SEEDS = Integer.getInteger("bulwark.runs", 1);
    private static final int OBJECT_STEPS = 40;
    private static final int REPLACING_STEPS = 60;
    private static final int DEPTH_MAX = 200;
    private static final long STATES_MAX = 200_000;

    @Test
    void fpCampaign() {
        campaign(new FpProtocol(), OptionalInt.empty());
    }

    @Test
    void pasisCampaign() {
        campaign(new PasisProtocol(), OptionalInt.empty());
    }

    @Test
    void extentCampaign() {
        campaign(new ExtentProtocol(), OptionalInt.empty());
    }

    @Test
    void objectCampaign() {
        campaign(new ObjectProtocol(), OptionalInt.of(OBJECT_STEPS));
    }

    @Test
    void replacingCampaign() {
        campaign(ObjectProtocol.replacing(ObjectParts.PRODUCTION, Protocol.FP), OptionalInt.of(REPLACING_STEPS));
    }

    @Test
    void fpReplacingCampaign() {
        campaign(FpProtocol.replacing(FpParts.PRODUCTION), OptionalInt.empty());
    }

    @Test
    void membersCampaign() {
        campaign(new MembersProtocol(), OptionalInt.empty());
    }

    @Test
    void pasisReplacingCampaign() {
        campaign(PasisProtocol.replacing(PasisParts.PRODUCTION), OptionalInt.empty());
    }

    @Test
    void everyOrderOfFp() {
        everyOrder(FpTinyWorlds.small(FpParts.PRODUCTION));
    }

    @Test
    void ordersOfWideFp() {
        everyOrder(FpTinyWorlds.wide(FpParts.PRODUCTION));
    }

    @Test
    void everyOrderOfExtents() {
        everyOrder(ExtentTinyWorlds.small(ExtentParts.PRODUCTION));
    }

    private static void campaign(SimulatedProtocol protocol, OptionalInt steps) {
        Shape shape =
                new Shape(OptionalInt.empty(), OptionalInt.of(1), OptionalInt.empty(), OptionalInt.empty(), steps);
        for (long seed = 1; seed <= SEEDS; seed++) {
            Setting setting = shape.setting(seed);
            Run run = new Run(protocol, setting);
            run.go().ifPresent(violation -> {
                throw new AssertionError(
                        "seed " + setting.seed() + ": " + violation.getMessage() + "\n" + protocol.name() + " "
                                + setting,
                        violation);
            });
        }
    }

    private static void everyOrder(List<TinyWorld> worlds) {
        for (TinyWorld world : worlds) {
            Explorer.explore(world, DEPTH_MAX, STATES_MAX).counterexample().ifPresent(counterexample -> {
                throw new AssertionError("world " + world.name() + ": " + counterexample);
            });
        }
    }
}
