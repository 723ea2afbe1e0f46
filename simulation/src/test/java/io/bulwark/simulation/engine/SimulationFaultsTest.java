package io.bulwark.simulation.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.effect.ClientOperation;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.effect.Loaded;
import io.bulwark.protocol.effect.Mutation;
import io.bulwark.protocol.effect.ProtocolServer;
import io.bulwark.protocol.effect.RecordKey;
import io.bulwark.protocol.effect.RecordKind;
import io.bulwark.protocol.extent.ExtentCodec;
import io.bulwark.protocol.extent.ExtentMessage;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.Message;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Tests the engine's faults of nodes, links, clocks and disks, one at a time. */
@NullMarked
class SimulationFaultsTest {
    private static final PrincipalId NODE = PrincipalId.node(0);
    private static final PrincipalId CLIENT = PrincipalId.client(0);
    private static final BlockId BLOCK = new BlockId(1, CLIENT, 1, 1);
    private static final RecordKey KEY = RecordKey.of(RecordKind.EXTENT, BLOCK);
    private static final Bytes FRAGMENT = Bytes.of((byte) 1, (byte) 2, (byte) 3);

    /** Answers at once; stores with each request; remembers what its clock showed. */
    private static final class Answering implements ProtocolServer {
        private final List<Long> times;

        Answering(List<Long> times) {
            this.times = times;
        }

        @Override
        public List<Effect> onMessage(long nowMillis, PrincipalId from, long requestId, Message message) {
            times.add(nowMillis);
            return List.of(
                    new Effect.Send(from, requestId, new ExtentMessage.Holds(BLOCK, 1)),
                    new Effect.Store(1, List.of(new Mutation.Put(KEY, Bytes.EMPTY, FRAGMENT))));
        }
    }

    /** Asks once. */
    private static final class Asking implements ClientOperation<Boolean> {
        private boolean answered;

        @Override
        public List<Effect> start(long nowMillis) {
            Message ask = new ExtentMessage.ReadPinned(BLOCK, 1, 0, Bytes.of(new byte[32]), false);
            return List.of(new Effect.Send(NODE, 0, ask));
        }

        @Override
        public List<Effect> onMessage(long nowMillis, PrincipalId from, Message message) {
            answered = true;
            return List.of();
        }

        @Override
        public List<Effect> onTick(long nowMillis) {
            return List.of();
        }

        @Override
        public Optional<Boolean> outcome() {
            return answered ? Optional.of(true) : Optional.empty();
        }

        @Override
        public boolean isFinished() {
            return answered;
        }
    }

    private final List<Long> times = new ArrayList<>();
    private final Simulation simulation = simulation();

    private Simulation simulation() {
        Simulation made =
                new Simulation(1, NetworkFaults.calm(), List.of(new ExtentCodec()), (_, _) -> Optional.empty());
        made.addNode(NODE, () -> new Answering(times));
        return made;
    }

    @Test
    void whatComesToAPausedNodeWaits() {
        simulation.pause(NODE);
        RunningOperation<Boolean> asked = simulation.start(CLIENT, new Asking());
        simulation.runFor(10_000);
        assertThat(times).isEmpty();
        simulation.resume(NODE);
        simulation.runFor(100);
        assertThat(times).hasSize(1);
        assertThat(asked.isFinished()).isTrue();
    }

    @Test
    void aLinkThatIsCutLosesWhatIsUnderWayInItsDirectionOnly() {
        simulation.start(CLIENT, new Asking());
        simulation.cut(CLIENT, NODE);
        simulation.runFor(100);
        assertThat(times).isEmpty();
        simulation.healNetwork();
        simulation.cut(NODE, CLIENT);
        RunningOperation<Boolean> unanswered = simulation.start(CLIENT, new Asking());
        simulation.runFor(100);
        assertThat(times).hasSize(1);
        assertThat(unanswered.isFinished()).isFalse();
        simulation.healNetwork();
        RunningOperation<Boolean> answered = simulation.start(CLIENT, new Asking());
        simulation.runFor(100);
        assertThat(answered.isFinished()).isTrue();
    }

    @Test
    void aNodeLivesByItsOwnClock() {
        simulation.setClock(NODE, new Clock(500_000, 100_000));
        simulation.runFor(10_000);
        simulation.start(CLIENT, new Asking());
        simulation.runFor(100);
        assertThat(times).singleElement().satisfies(shown -> assertThat(shown).isBetween(511_000L, 511_110L));
    }

    @Test
    void aTornWriteIsKnownToBeLost() {
        for (int tries = 0; tries < 100; tries++) {
            simulation.start(CLIENT, new Asking());
            assertThat(simulation.runUntil(() -> times.size() == 1, 100)).isTrue();
            times.clear();
            simulation.crashTearing(NODE);
            if (simulation.records(NODE).load(KEY) instanceof Loaded.Damaged) {
                return;
            }
            simulation.records(NODE).apply(List.of(new Mutation.Delete(KEY)));
            simulation.restart(NODE);
        }
        assertThat(simulation.records(NODE).load(KEY)).isInstanceOf(Loaded.Damaged.class);
    }

    @Test
    void aDiskRotsFillsAndGoesBackInTime() {
        SimulatedRecords records = simulation.records(NODE);
        SimulatedRecords empty = records.copy();
        List<Mutation> put = List.of(new Mutation.Put(KEY, Bytes.EMPTY, FRAGMENT));
        records.apply(put);
        records.damage(simulation.random());
        assertThat(records.load(KEY)).isInstanceOf(Loaded.Damaged.class);
        records.apply(put);
        records.rot(simulation.random());
        assertThat(records.load(KEY)).isNotEqualTo(new Loaded.Found(KEY, Bytes.EMPTY, FRAGMENT));
        records.rollBackTo(empty);
        assertThat(records.keys()).isEmpty();
        records.setFull(true);
        assertThat(records.refuses(put)).isTrue();
        assertThat(records.refuses(List.of(new Mutation.Delete(KEY)))).isFalse();
    }
}
