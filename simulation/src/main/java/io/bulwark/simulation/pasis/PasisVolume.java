package io.bulwark.simulation.pasis;

import io.bulwark.protocol.cluster.Fact;
import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.Protocol;
import io.bulwark.protocol.cluster.Question;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.cluster.VolumeKind;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.pasis.PasisGroup;
import io.bulwark.simulation.campaign.Setting;
import io.bulwark.simulation.engine.KnownSessions;
import io.bulwark.simulation.register.PlacedVolume;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;

/** A register volume under a policy of PASIS or of masking quorums that the seed chooses, and the replicas' facts about it. */
final class PasisVolume {
    static final int ID = 6;

    private final int nodes;
    private final KnownSessions sessions = new KnownSessions();
    private final Set<PrincipalId> revoked = new HashSet<>();
    private final PlacedVolume placed;

    /** @param spares how many nodes hold no slot at first, beside those that the setting has more */
    PasisVolume(Setting setting, Protocol protocol, int blocks, int spares) {
        Random random = new Random(setting.random("volume").nextLong());
        ProtectionPolicy policy = setting.policy(protocol, random, ProtectionPolicy.BLOCK_BYTES_MIN);
        int n = policy.n();
        this.nodes = Math.max(setting.nodes(), n) + spares;
        List<Integer> holders =
                new ArrayList<>(IntStream.range(0, nodes).boxed().toList());
        Collections.shuffle(holders, random);
        PlacementGroup group = new PlacementGroup(1, holders.subList(0, n));
        this.placed = new PlacedVolume(new Volume(ID, "disk", VolumeKind.REGISTER, policy, blocks, List.of(group)));
    }

    /** Returns policies on these nodes that tolerate as many faults or more, with as many data fragments or more. */
    List<ProtectionPolicy> otherPolicies() {
        List<ProtectionPolicy> all = new ArrayList<>();
        ProtectionPolicy now = policy();
        for (int f = now.f(); f <= now.f() + 1; f++) {
            int mMax = now.protocol() == Protocol.MASKING ? 1 : now.m() + 1;
            for (int m = now.m(); m <= mMax; m++) {
                for (int n = Math.max(4 * f + 1, m + 3 * f); n <= nodes; n++) {
                    all.add(new ProtectionPolicy(now.protocol(), f, m, n, now.blockBytes(), now.verification()));
                }
            }
        }
        return all;
    }

    ProtectionPolicy policy() {
        return placed.now().policy();
    }

    int nodes() {
        return nodes;
    }

    PasisGroup group(long block) {
        return group(BlockId.register(ID, placed.now().written(), block));
    }

    /** Returns the group of a register in one generation. */
    PasisGroup group(BlockId register) {
        return PasisGroup.of(placed.now(), register);
    }

    /** Returns the group of the same block in the generation before. */
    PasisGroup groupBelow(PasisGroup group) {
        BlockId block = group.block();
        return group(BlockId.register(ID, block.generation() - 1, block.number()));
    }

    /** Returns a group of the block in some generation, for who attacks it. */
    PasisGroup anyGroup(long block, Random random) {
        int generations = placed.now().generation() + 1;
        return generations == 1 ? group(block) : group(BlockId.register(ID, random.nextInt(generations), block));
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
    Fact nextEpoch() {
        return placed.nextEpoch(0);
    }

    /** Returns the volume with the holders of its slots. */
    PlacedVolume placed() {
        return placed;
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
