package io.bulwark.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.cluster.Fact;
import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.Question;
import io.bulwark.protocol.cluster.SessionState;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.cluster.VolumeKind;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.effect.RecordKind;
import io.bulwark.protocol.effect.Stored;
import io.bulwark.protocol.fingerprint.BlockCode;
import io.bulwark.protocol.fp.FpLimits;
import io.bulwark.protocol.fp.FpMessage;
import io.bulwark.protocol.fp.FpServer;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.kernel.Target;
import io.bulwark.protocol.mac.PairwiseKeys;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.simulation.engine.SimulatedRecords;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/**
 * A node keeps the state of one block in memory. While a PREPARE waits for the list of what its writer has staged, another
 * block pushes it out: the PREPARE must not go on with a state of its own, beside the one that later requests load.
 */
@NullMarked
class FpEvictionTest {
    private static final PrincipalId WRITER = PrincipalId.client(1);
    private static final PrincipalId READER = PrincipalId.client(2);
    private static final ProtectionPolicy POLICY = new ProtectionPolicy(1, 2, 4, 512);
    private static final Volume VOLUME =
            new Volume(5, "disk", VolumeKind.REGISTER, POLICY, 10, List.of(new PlacementGroup(1, List.of(0, 1, 2, 3))));

    private final SimulatedRecords records = new SimulatedRecords();
    private final List<Effect.LoadMetas> held = new ArrayList<>();
    private final List<FpMessage> answers = new ArrayList<>();
    private final FpServer server = new FpServer(keys(), new FpLimits(64, 4, 2, 400, 50, 1, 256, 2_000, 4_000));

    private static PairwiseKeys keys() {
        Map<PrincipalId, Bytes> keys = new HashMap<>();
        for (int node = 0; node < POLICY.n(); node++) {
            keys.put(PrincipalId.node(node), Bytes.of(new byte[PairwiseKeys.KEY_BYTES]));
        }
        return new PairwiseKeys(PrincipalId.node(0), keys);
    }

    /** Performs the effects, but keeps back the answer about a client's staged versions. */
    private void perform(List<Effect> effects) {
        Deque<Effect> left = new ArrayDeque<>(effects);
        while (!left.isEmpty()) {
            left.addAll(
                    switch (left.remove()) {
                        case Effect.Send send -> {
                            answers.add((FpMessage) send.message());
                            yield List.of();
                        }
                        case Effect.Store store -> {
                            records.apply(store.mutations());
                            yield server.onStored(0, store.token(), Stored.DURABLE);
                        }
                        case Effect.Load load -> server.onLoaded(0, load.token(), records.load(load.key()));
                        case Effect.LoadMetas metas -> {
                            if (metas.kind() == RecordKind.REGISTER) {
                                held.add(metas);
                                yield List.of();
                            }
                            yield loaded(metas);
                        }
                        case Effect.Ask ask -> server.onFact(0, answer(ask.question()));
                        case Effect.Scan _, Effect.Run _, Effect.Evidence _, Effect.Refuses _ -> List.of();
                    });
        }
    }

    private List<Effect> loaded(Effect.LoadMetas metas) {
        return server.onLoaded(
                0, metas.token(), records.scan(metas.kind(), metas.block(), metas.block(), Integer.MAX_VALUE));
    }

    private static Fact answer(Question question) {
        return switch (question) {
            case Question.OfSession of -> new Fact.OfSession(of.volume(), of.owner(), of.session(), SessionState.OPEN);
            case Question.OfGrant of -> new Fact.OfGrant(of.volume(), of.principal(), true, true);
            case Question.OfVolume of -> new Fact.OfVolume(of.volume(), Optional.of(VOLUME));
        };
    }

    private static Target target(long block) {
        return new Target(BlockId.register(VOLUME.id(), block), 1, 0);
    }

    @Test
    void aBlockStaysInMemoryWhileARequestOfItWaits() {
        byte[] value = new byte[POLICY.blockBytes()];
        value[0] = 1;
        BlockCode.Encoded encoded = new BlockCode(POLICY.m(), POLICY.f(), POLICY.n()).encode(Bytes.of(value));
        FpMessage.PrepareFragment prepare = new FpMessage.PrepareFragment(
                target(0), 1, 1, encoded.fpcc(), encoded.fragments().getFirst());
        perform(server.onMessage(0, WRITER, 1, prepare));
        assertThat(held).hasSize(1);

        perform(server.onMessage(0, READER, 2, new FpMessage.FindTimestamp(target(1), false)));
        perform(server.onTick(0));
        // A request that comes now must wait for the same state, or be answered from it.
        perform(server.onMessage(0, READER, 3, new FpMessage.FindTimestamp(target(0), false)));
        perform(loaded(held.getFirst()));
        assertThat(answers.getLast()).isInstanceOf(FpMessage.Prepared.class);

        FpMessage.Prepared prepared = (FpMessage.Prepared) answers.getLast();
        perform(server.onMessage(0, READER, 4, new FpMessage.Read(target(0), prepared.version())));
        assertThat(answers.getLast())
                .isInstanceOfSatisfying(
                        FpMessage.ReadAnswer.class,
                        read -> assertThat(read.holding()).isNotNull());
    }
}
