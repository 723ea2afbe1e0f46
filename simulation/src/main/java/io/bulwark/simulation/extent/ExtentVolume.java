package io.bulwark.simulation.extent;

import io.bulwark.protocol.cluster.Fact;
import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.Question;
import io.bulwark.protocol.cluster.SessionState;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.cluster.VolumeKind;
import io.bulwark.protocol.fingerprint.BlockCode;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.simulation.campaign.Setting;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;

/** An object volume, and what the replicas say of it. */
final class ExtentVolume {
    static final int ID = 1;
    private static final int BLOCK_BYTES = 1_024;

    private record SessionKey(PrincipalId owner, long session) {}

    private Volume volume;
    private final BlockCode code;
    private final Map<SessionKey, SessionState> sessions = new HashMap<>();
    private long counter;

    ExtentVolume(Setting setting) {
        ProtectionPolicy policy =
                new ProtectionPolicy(setting.faults(), setting.fragments(), setting.slots(), BLOCK_BYTES);
        Random random = new Random(setting.random("volume").nextLong());
        List<PlacementGroup> groups = new ArrayList<>();
        for (int group = 0; group < (setting.nodes() > setting.slots() ? 2 : 1); group++) {
            List<Integer> holders =
                    new ArrayList<>(IntStream.range(0, setting.nodes()).boxed().toList());
            Collections.shuffle(holders, random);
            groups.add(new PlacementGroup(1, holders.subList(0, setting.slots())));
        }
        this.volume = new Volume(ID, "v", VolumeKind.OBJECT, policy, 0, groups);
        this.code = new BlockCode(policy.m(), policy.f(), policy.n());
    }

    Volume volume() {
        return volume;
    }

    ProtectionPolicy policy() {
        return volume.policy();
    }

    BlockCode code() {
        return code;
    }

    /** An id that was never used. */
    BlockId next(PrincipalId owner, long session) {
        return new BlockId(ID, owner, session, ++counter);
    }

    PrincipalId holder(BlockId block, int slot) {
        return PrincipalId.node(volume.group(block).holders().get(slot));
    }

    Bytes padded(Bytes content) {
        byte[] padded = new byte[policy().m() * policy().fragmentBytes(content.length())];
        content.copyTo(0, padded, 0, content.length());
        return Bytes.of(padded);
    }

    void open(PrincipalId owner, long session) {
        sessions.put(new SessionKey(owner, session), SessionState.OPEN);
    }

    void close(PrincipalId owner, long session) {
        sessions.put(new SessionKey(owner, session), SessionState.CLOSED);
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
                    case Question.OfSession of ->
                        new Fact.OfSession(
                                of.volume(),
                                of.owner(),
                                of.session(),
                                sessions.getOrDefault(new SessionKey(of.owner(), of.session()), SessionState.UNKNOWN));
                });
    }
}
