package io.bulwark.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.effect.ClientOperation;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.effect.Mutation;
import io.bulwark.protocol.effect.ProtocolServer;
import io.bulwark.protocol.effect.RecordKey;
import io.bulwark.protocol.effect.RecordKind;
import io.bulwark.protocol.effect.Stored;
import io.bulwark.protocol.extent.ExtentCodec;
import io.bulwark.protocol.extent.ExtentMessage;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.Message;
import io.bulwark.simulation.engine.NetworkFaults;
import io.bulwark.simulation.engine.RunningOperation;
import io.bulwark.simulation.engine.Simulation;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** The simulator itself, with a server that stores each block id it is sent, and says so. */
@NullMarked
class SimulationTest {
    private static final PrincipalId NODE = PrincipalId.node(0);

    private static final class Keeper implements ProtocolServer {
        private final Map<Long, Effect.Send> promised = new HashMap<>();
        private long token;

        @Override
        public List<Effect> onMessage(long nowMillis, PrincipalId from, long requestId, Message message) {
            BlockId block = ((ExtentMessage) message).block();
            promised.put(++token, new Effect.Send(from, requestId, new ExtentMessage.Holds(block, 1)));
            RecordKey key = RecordKey.of(RecordKind.EXTENT, block);
            return List.of(new Effect.Store(token, List.of(new Mutation.Put(key, Bytes.EMPTY, Bytes.EMPTY))));
        }

        @Override
        public List<Effect> onStored(long nowMillis, long stored, Stored how) {
            Effect.Send send = promised.remove(stored);
            return how == Stored.DURABLE && send != null ? List.of(send) : List.of();
        }
    }

    /** Repeats a question until the node has confirmed that it holds the block. */
    private record Asking(BlockId block, List<Boolean> answers) implements ClientOperation<Boolean> {
        @Override
        public List<Effect> start(long nowMillis) {
            return onTick(nowMillis);
        }

        @Override
        public List<Effect> onMessage(long nowMillis, PrincipalId from, Message message) {
            answers.add(message instanceof ExtentMessage.Holds);
            return List.of();
        }

        @Override
        public List<Effect> onTick(long nowMillis) {
            Message ask = new ExtentMessage.ReadPinned(block, 1, 0, Bytes.of(new byte[32]), false);
            return List.of(new Effect.Send(NODE, 0, ask));
        }

        @Override
        public Optional<Boolean> outcome() {
            return answers.stream().findFirst();
        }

        @Override
        public boolean isFinished() {
            return !answers.isEmpty();
        }
    }

    @Test
    void whatWasAcknowledgedSurvivesCrashesAndTheSameSeedGivesTheSameTrace() {
        long first = Long.getLong("bulwark.seed", System.nanoTime());
        for (long seed = first; seed < first + 20; seed++) {
            assertThat(run(seed)).as("seed %d", seed).isEqualTo(run(seed));
            assertThat(run(seed)).as("seed %d", seed).isNotEqualTo(run(seed + 1));
        }
    }

    private static String run(long seed) {
        Simulation simulation =
                new Simulation(seed, NetworkFaults.rough(), List.of(new ExtentCodec()), (_, _) -> Optional.empty());
        simulation.addNode(NODE, Keeper::new);
        Map<BlockId, RunningOperation<Boolean>> asked = new HashMap<>();
        for (int i = 0; i < 30; i++) {
            BlockId block = new BlockId(1, PrincipalId.client(0), 1, i);
            asked.put(block, simulation.start(PrincipalId.client(0), new Asking(block, new ArrayList<>())));
            simulation.runFor(simulation.random().nextInt(30));
            if (simulation.random().nextInt(5) == 0) {
                simulation.crash(NODE);
                simulation.restart(NODE);
            }
        }
        assertThat(simulation.runUntil(() -> asked.values().stream().allMatch(RunningOperation::isFinished), 100_000))
                .as("seed %d: all are done", seed)
                .isTrue();
        simulation.crash(NODE);
        assertThat(simulation.records(NODE).keys().stream().map(RecordKey::block))
                .as("seed %d", seed)
                .containsExactlyInAnyOrderElementsOf(asked.keySet());
        return simulation.traceDigest();
    }
}
