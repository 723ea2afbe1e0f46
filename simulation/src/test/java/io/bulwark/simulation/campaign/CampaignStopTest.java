package io.bulwark.simulation.campaign;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.cluster.RevocationWatch;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.effect.ProtocolServer;
import io.bulwark.protocol.fp.FpLimits;
import io.bulwark.protocol.fp.FpMessage;
import io.bulwark.protocol.fp.FpServer;
import io.bulwark.protocol.fp.Version;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.mac.TagKeys;
import io.bulwark.protocol.wire.Message;
import io.bulwark.simulation.engine.AlteringServer;
import io.bulwark.simulation.engine.Trace;
import io.bulwark.simulation.fp.FpParts;
import io.bulwark.simulation.fp.FpProtocol;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** A campaign stops at a bug, names the invariant, and shows what happened to the block. */
@NullMarked
class CampaignStopTest {
    private static final int SEEDS_MAX = 40;

    /** Says that it has committed before it has. */
    private static final class Hasty extends AlteringServer {
        Hasty(ProtocolServer correct) {
            super(correct);
        }

        @Override
        public List<Effect> onMessage(long nowMillis, PrincipalId from, long requestId, Message message) {
            if (message instanceof FpMessage.Commit commit && commit.prepares().size() % 2 == 1) {
                Version version = new Version(commit.ts(), commit.fpcc().pin());
                return List.of(new Effect.Send(from, requestId, new FpMessage.Committed(commit.target(), version)));
            }
            return super.onMessage(nowMillis, from, requestId, message);
        }

        @Override
        protected List<Effect> alter(long nowMillis, Effect effect) {
            return List.of(effect);
        }
    }

    @Test
    void aCampaignStopsAtTheFirstViolation() {
        FpProtocol hasty = hasty();
        int[] told = {0};
        Campaign campaign = new Campaign(hasty, Shape.of(1, 2), 1);
        campaign.go(() -> told[0] >= SEEDS_MAX, _ -> told[0]++);
        Campaign.Progress end = campaign.progress();
        assertThat(end.violation()).hasValueSatisfying(violation -> {
            assertThat(violation.invariant().name()).isEqualTo("real-time-order");
            assertThat(violation.invariant().source()).contains("4.2.7");
            assertThat(end.run().lastEvents(20))
                    .isNotEmpty()
                    .allSatisfy(entry -> assertThat(entry.detail().toString()).contains(violation.subject()));
        });
        assertThat(end.runs()).isEqualTo(told[0]).isLessThanOrEqualTo(SEEDS_MAX);
        List<Trace.Entry> shown = end.run().lastEvents(20);
        Run again = new Run(hasty, end.run().setting());
        assertThat(again.go()).isPresent();
        assertThat(again.traceDigest()).isEqualTo(end.run().traceDigest());
        assertThat(again.lastEvents(20)).hasSameSizeAs(shown);
    }

    @Test
    void threadsThatShareACampaignStopAtTheSameViolation() throws InterruptedException {
        Campaign alone = new Campaign(hasty(), Shape.of(1, 2), 1);
        alone.go(() -> false, _ -> {});
        Campaign shared = new Campaign(hasty(), Shape.of(1, 2), 1);
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            threads.add(Thread.ofPlatform().start(() -> shared.go(() -> false, _ -> {})));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(shared.progress().violation()).isPresent();
        assertThat(shared.progress().run().setting())
                .isEqualTo(alone.progress().run().setting());
        assertThat(shared.progress().run().traceDigest())
                .isEqualTo(alone.progress().run().traceDigest());
        assertThat(shared.progress().runs())
                .isBetween(alone.progress().runs(), alone.progress().runs() + 3);
    }

    @Test
    void oneSeedIsRunIfThereIsEnoughAtOnce() {
        Campaign campaign = new Campaign(new FpProtocol(), Shape.of(1, 2), 7);
        campaign.go(() -> true, _ -> {});
        campaign.go(() -> true, _ -> {});
        assertThat(campaign.progress().runs()).isEqualTo(1);
        assertThat(campaign.progress().run().setting().seed()).isEqualTo(7);
    }

    private static FpProtocol hasty() {
        return new FpProtocol(new FpParts() {
            @Override
            public ProtocolServer server(TagKeys keys, FpLimits limits, RevocationWatch revocations) {
                return new Hasty(new FpServer(keys, limits));
            }
        });
    }

    @Test
    void whatIsFixedOfASettingIsKept() {
        for (long seed = 0; seed < 50; seed++) {
            Setting setting = Shape.of(2, 4).setting(seed);
            assertThat(setting.faults()).isEqualTo(2);
            assertThat(setting.fragments()).isEqualTo(4);
            assertThat(setting.nodes()).isGreaterThanOrEqualTo(setting.slots());
            assertThat(Shape.any().setting(seed)).isEqualTo(Shape.any().setting(seed));
        }
    }

    @Test
    void faultsLeaveRoomForTheNodesAndFragmentsThatAreFixed() {
        for (long seed = 0; seed < 50; seed++) {
            assertThat(fixed(OptionalInt.empty(), 2).setting(seed).faults()).isEqualTo(1);
            assertThat(fixed(OptionalInt.of(6), 3).setting(seed).faults()).isEqualTo(1);
            assertThat(fixed(OptionalInt.of(7), 3).setting(seed).nodes()).isEqualTo(7);
        }
    }

    private static Shape fixed(OptionalInt nodes, int fragments) {
        return new Shape(
                nodes, OptionalInt.empty(), OptionalInt.of(fragments), OptionalInt.empty(), OptionalInt.empty());
    }
}
