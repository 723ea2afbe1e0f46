package io.bulwark.protocol.pasis;

import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.Verification;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.kernel.Timeouts;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;

/** A group with node i at slot i, versions of its block, and what its nodes would say. */
@NullMarked
record GroupFixture(PasisGroup pasis) {
    static final Timeouts TIMES = new Timeouts(100, 400, 1_000, 60_000);
    static final PrincipalId CLIENT = PrincipalId.client(1);

    /** A version with all its fragments. */
    record Version(ValidatingTimestamp timestamp, List<Bytes> fragments, Bytes block) {}

    static GroupFixture of(int b, int m, int n) {
        return of(ProtectionPolicy.pasis(b, m, n, ProtectionPolicy.BLOCK_BYTES_MIN, Verification.LAZY));
    }

    /** Whole copies under masking quorums. */
    static GroupFixture masking(int b, int n) {
        return of(ProtectionPolicy.masking(b, n, ProtectionPolicy.BLOCK_BYTES_MIN));
    }

    private static GroupFixture of(ProtectionPolicy policy) {
        PlacementGroup placement =
                new PlacementGroup(1, IntStream.range(0, policy.n()).boxed().toList());
        return new GroupFixture(new PasisGroup(BlockId.register(7, 0), policy, placement));
    }

    Version version(long time, int content) {
        Bytes block = SampleMessages.filled(ProtectionPolicy.BLOCK_BYTES_MIN, content);
        List<Bytes> fragments = pasis.encode(pasis.padded(block));
        return new Version(pasis.timestamp(time, CLIENT, fragments), fragments, block);
    }

    /** The last fragment is that of another block. */
    Version poisonous(long time, int content) {
        List<Bytes> mixed = new ArrayList<>(version(time, content).fragments());
        mixed.set(mixed.size() - 1, version(time, content + 1).fragments().getLast());
        return new Version(ValidatingTimestamp.of(time, CLIENT, mixed), mixed, Bytes.EMPTY);
    }

    PasisMessage.History history(int slot, ValidatingTimestamp collected, boolean verified, Version... versions) {
        List<PasisMessage.Entry> entries = new ArrayList<>();
        for (Version version : versions) {
            entries.add(new PasisMessage.Entry(version.timestamp(), verified));
        }
        @Nullable
        Bytes fragment = versions.length == 0 || slot >= pasis.m()
                ? null
                : versions[0].fragments().get(slot);
        return new PasisMessage.History(
                pasis.target(slot), ValidatingTimestamp.NONE, entries, false, collected, fragment);
    }

    PasisMessage.History history(int slot, Version... versions) {
        return history(slot, ValidatingTimestamp.NONE, false, versions);
    }

    PasisMessage.Fragment fragment(int slot, Version version) {
        return new PasisMessage.Fragment(
                pasis.target(slot),
                version.timestamp().name(),
                PasisMessage.Held.HELD,
                version.fragments().get(slot),
                ValidatingTimestamp.NONE);
    }

    PasisMessage.Fragment collected(int slot, Version version, ValidatingTimestamp collected) {
        return new PasisMessage.Fragment(
                pasis.target(slot), version.timestamp().name(), PasisMessage.Held.NOT_HELD, Bytes.EMPTY, collected);
    }

    PasisMessage.Written written(int slot, ValidatingTimestamp version) {
        return new PasisMessage.Written(pasis.target(slot), version.name());
    }

    PasisMessage.Refused refused(int slot, RequestKind asked, ValidatingTimestamp version, PasisRefusal refusal) {
        return new PasisMessage.Refused(pasis.target(slot), asked, version.name(), refusal, 1);
    }

    static PrincipalId node(int slot) {
        return PrincipalId.node(slot);
    }

    /** The messages of one kind that are sent. */
    static <T> List<T> sent(List<Effect> effects, Class<T> kind) {
        return effects.stream()
                .filter(Effect.Send.class::isInstance)
                .map(effect -> ((Effect.Send) effect).message())
                .filter(kind::isInstance)
                .map(kind::cast)
                .toList();
    }
}
