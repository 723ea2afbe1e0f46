package io.bulwark.simulation.extent;

import io.bulwark.protocol.cluster.Fact;
import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.Protocol;
import io.bulwark.protocol.cluster.Question;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.cluster.VolumeKind;
import io.bulwark.protocol.extent.ExtentCoding;
import io.bulwark.protocol.fingerprint.BlockCode;
import io.bulwark.protocol.fingerprint.Commitment;
import io.bulwark.protocol.fingerprint.CrossChecksum;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.simulation.byzantine.Forgery;
import io.bulwark.simulation.campaign.Setting;
import io.bulwark.simulation.engine.KnownSessions;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;

/** An object volume, and the replicas' facts about it. */
final class ExtentVolume {
    static final int ID = 1;
    private static final int BLOCK_BYTES = 1_024;

    private final int nodes;
    private Volume volume;
    private final ExtentCoding coding;
    private final KnownSessions sessions = new KnownSessions();
    private long counter;

    ExtentVolume(Setting setting, Protocol protocol) {
        Random random = new Random(setting.random("volume").nextLong());
        ProtectionPolicy policy = setting.policy(protocol, random, BLOCK_BYTES);
        this.nodes = Math.max(setting.nodes(), policy.n());
        List<PlacementGroup> groups = new ArrayList<>();
        for (int group = 0; group < (nodes > policy.n() ? 2 : 1); group++) {
            List<Integer> holders =
                    new ArrayList<>(IntStream.range(0, nodes).boxed().toList());
            Collections.shuffle(holders, random);
            groups.add(new PlacementGroup(1, holders.subList(0, policy.n())));
        }
        this.volume = new Volume(ID, "v", VolumeKind.OBJECT, policy, 0, groups);
        this.coding = ExtentCoding.of(policy);
    }

    Volume volume() {
        return volume;
    }

    ProtectionPolicy policy() {
        return volume.policy();
    }

    ExtentCoding coding() {
        return coding;
    }

    int nodes() {
        return nodes;
    }

    /** Fragments of two blocks under one checksum. */
    ExtentCoding.Encoded poison(Bytes one, Bytes other, Random random) {
        ProtectionPolicy policy = policy();
        if (policy.protocol() == Protocol.FP) {
            BlockCode code = BlockCode.ofAll(policy.m(), policy.n());
            BlockCode.Encoded forged = Forgery.poison(code, policy.m(), one, other, random);
            return new ExtentCoding.Encoded(forged.fpcc(), forged.fragments());
        }
        if (policy.protocol() == Protocol.ARCHIVE) {
            return mixture(one, other, random);
        }
        List<Bytes> mixed = new ArrayList<>(coding.encode(one).fragments());
        List<Bytes> others = coding.encode(other).fragments();
        for (int slot = 0; slot < mixed.size(); slot++) {
            if (random.nextBoolean()) {
                mixed.set(slot, others.get(slot));
            }
        }
        return new ExtentCoding.Encoded(CrossChecksum.of(mixed), mixed);
    }

    /** Blocks of two segments under one root, with the hash of either and the fingerprints of either. */
    private ExtentCoding.Encoded mixture(Bytes one, Bytes other, Random random) {
        int fromOther = random.nextInt(3);
        List<Bytes> mixed = new ArrayList<>(coding.encode(one).fragments());
        List<Bytes> others = coding.encode(other).fragments();
        for (int slot = 0; slot < mixed.size(); slot++) {
            if (random.nextInt(3) < fromOther) {
                mixed.set(slot, others.get(slot));
            }
        }
        Commitment.Encoded forged = Commitment.of(
                policy().m(), mixed, random.nextBoolean() ? one : other, random.nextBoolean() ? one : other);
        return new ExtentCoding.Encoded(forged.commitment(), forged.fragments());
    }

    /** An id that was never used. */
    BlockId next(PrincipalId owner, long session) {
        return new BlockId(ID, owner, session, ++counter);
    }

    PrincipalId holder(BlockId block, int slot) {
        return PrincipalId.node(volume.group(block).holders().get(slot));
    }

    Bytes padded(Bytes content) {
        byte[] padded = new byte[policy().paddedBytes(content.length())];
        content.copyTo(0, padded, 0, content.length());
        return Bytes.of(padded);
    }

    void open(PrincipalId owner, long session) {
        sessions.open(owner, session);
    }

    void close(PrincipalId owner, long session) {
        sessions.close(owner, session);
    }

    /** The same holders of a group in a later epoch; what the replicas tell of it. */
    Fact nextEpoch(int group) {
        List<PlacementGroup> groups = new ArrayList<>(volume.groups());
        PlacementGroup old = groups.get(group);
        groups.set(group, new PlacementGroup(old.epoch() + 1, old.holders()));
        volume = new Volume(ID, volume.name(), VolumeKind.OBJECT, policy(), 0, groups);
        return new Fact.OfVolume(ID, Optional.of(volume));
    }

    Optional<Fact> answer(Question question) {
        return Optional.of(
                switch (question) {
                    case Question.OfVolume of ->
                        new Fact.OfVolume(of.volume(), of.volume() == ID ? Optional.of(volume) : Optional.empty());
                    case Question.OfGrant of -> new Fact.OfGrant(of.volume(), of.principal(), true, true);
                    case Question.OfSession of -> sessions.answer(of);
                });
    }
}
