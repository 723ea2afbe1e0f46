package io.bulwark.simulation.fp;

import io.bulwark.protocol.cluster.Fact;
import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.Question;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.cluster.VolumeKind;
import io.bulwark.protocol.fp.FpGroup;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.mac.PairwiseKeys;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.simulation.campaign.Setting;
import io.bulwark.simulation.engine.KnownSessions;
import io.bulwark.simulation.register.PlacedVolume;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;

/** A register volume, its nodes' keys, and the replicas' facts about it. */
final class FpVolume {
    static final int ID = 5;

    private final ProtectionPolicy policy;
    private final KnownSessions sessions = new KnownSessions();
    private final Set<PrincipalId> revoked = new HashSet<>();
    private final PlacedVolume placed;
    private final List<PairwiseKeys> keys = new ArrayList<>();

    FpVolume(Setting setting, int blocks) {
        this.policy = new ProtectionPolicy(
                setting.faults(), setting.fragments(), setting.slots(), ProtectionPolicy.BLOCK_BYTES_MIN);
        Random random = new Random(setting.random("volume").nextLong());
        List<PlacementGroup> groups = new ArrayList<>();
        for (int group = 0; group < (setting.nodes() > setting.slots() ? 2 : 1); group++) {
            List<Integer> holders =
                    new ArrayList<>(IntStream.range(0, setting.nodes()).boxed().toList());
            Collections.shuffle(holders, random);
            groups.add(new PlacementGroup(1, holders.subList(0, setting.slots())));
        }
        this.placed = new PlacedVolume(new Volume(ID, "disk", VolumeKind.REGISTER, policy, blocks, groups));
        makeKeys(setting.nodes(), random);
    }

    private void makeKeys(int n, Random random) {
        Bytes[][] pairwise = new Bytes[n][n];
        for (int i = 0; i < n; i++) {
            Map<PrincipalId, Bytes> own = new HashMap<>();
            for (int j = 0; j < n; j++) {
                if (j >= i) {
                    byte[] key = new byte[PairwiseKeys.KEY_BYTES];
                    random.nextBytes(key);
                    pairwise[i][j] = Bytes.of(key);
                    pairwise[j][i] = pairwise[i][j];
                }
                own.put(PrincipalId.node(j), pairwise[i][j]);
            }
            keys.add(new PairwiseKeys(PrincipalId.node(i), own));
        }
    }

    ProtectionPolicy policy() {
        return policy;
    }

    PairwiseKeys keysOf(int node) {
        return keys.get(node);
    }

    FpGroup group(long block) {
        return group(BlockId.register(ID, placed.now().written(), block));
    }

    /** Returns the group of a register in one generation. */
    FpGroup group(BlockId register) {
        return FpGroup.of(placed.now(), register);
    }

    /** Returns a group of the block in some generation, for who attacks it. */
    FpGroup anyGroup(long block, Random random) {
        int generations = placed.now().generation() + 1;
        return generations == 1 ? group(block) : group(BlockId.register(ID, random.nextInt(generations), block));
    }

    long blocks() {
        return placed.now().blocks();
    }

    /** Returns the volume with the holders of its slots. */
    PlacedVolume placed() {
        return placed;
    }

    boolean has(BlockId block) {
        return placed.has(block);
    }

    void open(PrincipalId client, long session) {
        sessions.open(client, session);
    }

    /** Closes a session, and returns the replicas' answer about it. */
    Fact close(PrincipalId client, long session) {
        sessions.close(client, session);
        return sessions.answer(new Question.OfSession(ID, client, session));
    }

    void revoke(PrincipalId client) {
        revoked.add(client);
        sessions.close(client);
    }

    /** The same holders in a later epoch; what the replicas tell of it. */
    Fact nextEpoch(BlockId block) {
        return placed.nextEpoch(placed.now().groupIndex(block));
    }

    Optional<Fact> answer(Question question) {
        return Optional.of(
                switch (question) {
                    case Question.OfSession of -> sessions.answer(of);
                    case Question.OfGrant of ->
                        new Fact.OfGrant(of.volume(), of.principal(), !revoked.contains(of.principal()), false);
                    case Question.OfVolume of -> placed.answer(of.volume());
                });
    }
}
