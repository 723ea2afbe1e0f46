package io.bulwark.simulation.campaign;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.effect.ProtocolServer;
import io.bulwark.protocol.fp.FpLimits;
import io.bulwark.protocol.fp.FpMessage;
import io.bulwark.protocol.fp.FpServer;
import io.bulwark.protocol.fp.Version;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.mac.PairwiseKeys;
import io.bulwark.protocol.wire.Message;
import io.bulwark.simulation.engine.AlteringServer;
import io.bulwark.simulation.engine.Trace;
import io.bulwark.simulation.fp.FpParts;
import io.bulwark.simulation.fp.FpProtocol;
import java.util.List;
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
        FpProtocol hasty = new FpProtocol(new FpParts() {
            @Override
            public ProtocolServer server(PairwiseKeys keys, FpLimits limits) {
                return new Hasty(new FpServer(keys, limits));
            }
        });
        int[] told = {0};
        Campaign.Progress end = new Campaign(hasty, Shape.of(1, 2), 1).go(() -> told[0] >= SEEDS_MAX, _ -> told[0]++);
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
    void whatIsFixedOfASettingIsKept() {
        for (long seed = 0; seed < 50; seed++) {
            Setting setting = Shape.of(2, 4).setting(seed);
            assertThat(setting.faults()).isEqualTo(2);
            assertThat(setting.fragments()).isEqualTo(4);
            assertThat(setting.nodes()).isGreaterThanOrEqualTo(setting.slots());
            assertThat(Shape.any().setting(seed)).isEqualTo(Shape.any().setting(seed));
        }
    }
}
