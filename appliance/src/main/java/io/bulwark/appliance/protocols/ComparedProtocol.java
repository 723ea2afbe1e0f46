package io.bulwark.appliance.protocols;

import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.Verification;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.cluster.VolumeKind;
import io.bulwark.protocol.effect.ClientOperation;
import io.bulwark.protocol.fp.FpGroup;
import io.bulwark.protocol.fp.FpRead;
import io.bulwark.protocol.fp.FpReadOutcome;
import io.bulwark.protocol.fp.FpWrite;
import io.bulwark.protocol.fp.FpWriteOutcome;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.kernel.Timeouts;
import io.bulwark.protocol.pasis.PasisGroup;
import io.bulwark.protocol.pasis.PasisRead;
import io.bulwark.protocol.pasis.PasisReadOutcome;
import io.bulwark.protocol.pasis.PasisWrite;
import io.bulwark.protocol.pasis.PasisWriteOutcome;
import io.bulwark.protocol.pasis.ReadPlan;
import io.bulwark.protocol.wire.Bytes;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** The protocols of thesis 4.4.1, with m = f + 1. Each has one volume of registers for each number of faults. */
public enum ComparedProtocol {
    /** The register of the product. */
    FP("fp"),
    /** Benign erasure coding: m + f fragments, of which m are read. */
    ERASURE("erasure"),
    /** Benign replication: f + 1 copies, of which one is read. */
    REPLICATION("replication"),
    /**
     * PASIS whose nodes verify nothing and keep no versions. Readers verify the cross-checksum on every read, as in the
     * thesis.
     */
    M_3F("m+3f");

    static final int BLOCK_BYTES = 64 << 10;
    private static final int BLOCKS_MAX = 1024;
    private static final long SESSION = 1;

    private final String text;

    ComparedProtocol(String text) {
        this.text = text;
    }

    /** Returns the name for people. */
    public String text() {
        return text;
    }

    /** Returns whether every party is trusted. */
    boolean isBenign() {
        return this == ERASURE || this == REPLICATION;
    }

    /** Returns the number of slots that tolerate f faults. */
    int slots(int f) {
        return switch (this) {
            case FP -> 3 * f + 1;
            case ERASURE -> 2 * f + 1;
            case REPLICATION -> f + 1;
            case M_3F -> 4 * f + 1;
        };
    }

    /** Returns the number of slots that a write goes to while none is faulty. */
    int written(int f) {
        return switch (this) {
            case FP, ERASURE, REPLICATION -> Math.min(slots(f), 2 * f + 1);
            case M_3F -> 3 * f + 1;
        };
    }

    /** Returns the number of slots that a read asks while none is faulty. */
    int asked(int f) {
        return switch (this) {
            case FP -> 2 * f + 1;
            case ERASURE -> f + 1;
            case REPLICATION -> 1;
            case M_3F -> 3 * f + 1;
        };
    }

    int m(int f) {
        return this == REPLICATION ? 1 : f + 1;
    }

    private int volumeId(int f) {
        return values().length * f + ordinal();
    }

    private PlacementGroup group(int f) {
        return new PlacementGroup(1, IntStream.range(0, slots(f)).boxed().toList());
    }

    /** Returns the volume that the nodes know; the benign protocols have none. */
    private Optional<Volume> volume(int f, Verification verification) {
        Optional<ProtectionPolicy> policy = switch (this) {
            case FP -> Optional.of(new ProtectionPolicy(f, m(f), slots(f), BLOCK_BYTES));
            case M_3F -> Optional.of(ProtectionPolicy.pasis(f, m(f), slots(f), BLOCK_BYTES, verification));
            case ERASURE, REPLICATION -> Optional.empty();
        };
        return policy.map(
                each -> new Volume(volumeId(f), text + f, VolumeKind.REGISTER, each, BLOCKS_MAX, List.of(group(f))));
    }

    /** Returns the volume with this number, as the nodes are told. */
    static Optional<Volume> volume(int id) {
        return values()[id % values().length].volume(id / values().length, Verification.NONE);
    }

    private BlockId block(int f, int number) {
        return BlockId.register(volumeId(f), number);
    }

    /** Returns a write of a block. */
    ClientOperation<?> write(int f, int number, PrincipalId client, Bytes content) {
        BlockId block = block(f, number);
        Timeouts times = Timeouts.standard();
        return switch (this) {
            case FP ->
                new FpWrite(FpGroup.of(volume(f, Verification.NONE).orElseThrow(), block), SESSION, content, times);
            case M_3F -> {
                PasisGroup group = PasisGroup.of(volume(f, Verification.NONE).orElseThrow(), block);
                yield new FirstSlots<>(
                        new PasisWrite(group, client, SESSION, content, times),
                        IntStream.range(0, written(f))
                                .mapToObj(PrincipalId::node)
                                .collect(Collectors.toSet()));
            }
            case ERASURE, REPLICATION -> BenignOperation.write(group(f), block, m(f), content);
        };
    }

    /** Returns a read of a block. */
    ClientOperation<?> read(int f, int number, PrincipalId client) {
        BlockId block = block(f, number);
        Timeouts times = Timeouts.standard();
        return switch (this) {
            case FP ->
                FpRead.withWriteBack(FpGroup.of(volume(f, Verification.NONE).orElseThrow(), block), SESSION, times);
            case M_3F -> {
                PasisGroup group =
                        PasisGroup.of(volume(f, Verification.READ_TIME).orElseThrow(), block);
                yield PasisRead.withWriteBack(group, client, SESSION, times, ReadPlan.full(group));
            }
            case ERASURE, REPLICATION -> BenignOperation.read(group(f), block, m(f));
        };
    }

    /** Returns whether an operation has read a block, or written one. */
    static boolean isSuccess(Object outcome) {
        return outcome instanceof FpWriteOutcome.Written
                || outcome instanceof FpReadOutcome.Value
                || outcome instanceof PasisWriteOutcome.Written
                || outcome instanceof PasisReadOutcome.Value
                || (outcome instanceof Bytes bytes && (bytes.isEmpty() || bytes.length() >= BLOCK_BYTES));
    }
}
