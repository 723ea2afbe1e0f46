package io.bulwark.protocol.fp;

import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.erasure.ErasureCode;
import io.bulwark.protocol.fingerprint.Fpcc;
import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.kernel.Target;
import io.bulwark.protocol.mac.PairwiseKeys;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.Message;
import io.bulwark.protocol.wire.MessageCodec;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The canonical encoding of {@link FpMessage}: family 2. */
public final class FpCodec implements MessageCodec {
    public static final int FAMILY = 2;

    /** A fragment, at most (m is at least 2). */
    static final int FRAGMENT_BYTES_MAX = ProtectionPolicy.BLOCK_BYTES_MAX / 2;

    /** A block, with what pads it to m fragments. */
    static final int BLOCK_BYTES_MAX = ProtectionPolicy.BLOCK_BYTES_MAX + ErasureCode.MAX_FRAGMENTS;

    private static final RequestKind[] ASKED = RequestKind.values();
    private static final FpRefusal[] REFUSALS = FpRefusal.values();
    private static final FpMessage.LeftoverState[] LEFTOVER_STATES = FpMessage.LeftoverState.values();

    @Override
    public int family() {
        return FAMILY;
    }

    @Override
    public boolean handles(Message message) {
        return message instanceof FpMessage;
    }

    @Override
    public int typeOf(Message message) {
        return FAMILY << 8 | number((FpMessage) message);
    }

    private static int number(FpMessage message) {
        return switch (message) {
            case FpMessage.PrepareFragment ignored -> 1;
            case FpMessage.PrepareBlock ignored -> 2;
            case FpMessage.Prepared ignored -> 3;
            case FpMessage.Commit ignored -> 4;
            case FpMessage.Committed ignored -> 5;
            case FpMessage.FindTimestamp ignored -> 6;
            case FpMessage.FoundTimestamp ignored -> 7;
            case FpMessage.Read ignored -> 8;
            case FpMessage.ReadAnswer ignored -> 9;
            case FpMessage.Repair ignored -> 10;
            case FpMessage.RepairAnswer ignored -> 11;
            case FpMessage.AskRepairMac ignored -> 12;
            case FpMessage.RepairMac ignored -> 13;
            case FpMessage.AskLeftover ignored -> 14;
            case FpMessage.Leftover ignored -> 15;
            case FpMessage.Refused ignored -> 16;
            case FpMessage.Proven ignored -> 17;
        };
    }

    @Override
    public void write(Message message, WireWriter out) {
        FpMessage known = (FpMessage) message;
        known.target().write(out);
        switch (known) {
            case FpMessage.PrepareFragment m -> prepare(m, out).bytes(m.fragment());
            case FpMessage.PrepareBlock m -> prepare(m, out).bytes(m.block());
            case FpMessage.Prepared m -> {
                m.version().write(out);
                out.raw(m.nonce()).u8(m.macs().size());
                m.macs().forEach(out::raw);
            }
            case FpMessage.Commit m -> {
                out.i64(m.session())
                        .i64(m.ts())
                        .raw(m.fpcc().encoded())
                        .u8(m.prepares().size());
                m.prepares().forEach(v -> out.u8(v.slot()).raw(v.nonce()).raw(v.mac()));
            }
            case FpMessage.Committed m -> m.version().write(out);
            case FpMessage.Proven m -> m.version().write(out);
            case FpMessage.FindTimestamp m -> out.bool(m.withFragment());
            case FpMessage.FoundTimestamp m -> {
                m.latest().write(out);
                holding(m.holding(), out);
            }
            case FpMessage.Read m -> m.version().write(out);
            case FpMessage.ReadAnswer m -> {
                m.version().write(out);
                m.latest().write(out);
                holding(m.holding(), out);
            }
            case FpMessage.Repair m -> m.wanted().write(out);
            case FpMessage.RepairAnswer m -> m.latest().write(out);
            case FpMessage.AskRepairMac m -> m.version().write(out);
            case FpMessage.RepairMac m -> {
                m.version().write(out);
                out.raw(m.nonce()).raw(m.mac());
            }
            case FpMessage.AskLeftover m -> {
                m.owner().write(out);
                out.i64(m.session());
                m.version().write(out);
            }
            case FpMessage.Leftover m -> {
                m.version().write(out);
                out.u8(m.state().ordinal());
                m.latest().write(out);
            }
            case FpMessage.Refused m ->
                out.u8(m.asked().ordinal())
                        .i64(m.ts())
                        .u8(m.refusal().ordinal())
                        .i64(m.epoch());
        }
    }

    private static WireWriter prepare(FpMessage.Prepare message, WireWriter out) {
        return out.i64(message.session()).i64(message.ts()).raw(message.fpcc().encoded());
    }

    /** Writes a byte of flags (1 present, 2 fragment, 4 cc, 8 damaged), then the fields that they announce. */
    private static void holding(@Nullable HeldVersion holding, WireWriter out) {
        if (holding == null) {
            out.u8(0);
            return;
        }
        Bytes fragment = holding.fragment();
        List<Bytes> cc = holding.cc();
        out.u8(1 | (fragment == null ? 0 : 2) | (cc == null ? 0 : 4) | (holding.damaged() ? 8 : 0));
        out.raw(holding.nonceHash());
        nonces(holding.nonces(), out);
        if (cc != null) {
            hashes(cc, out);
        }
        if (fragment != null) {
            out.bytes(fragment);
        }
    }

    static void hashes(List<Bytes> hashes, WireWriter out) {
        out.u8(hashes.size());
        hashes.forEach(out::raw);
    }

    static List<Bytes> readHashes(WireReader in) {
        return readMany(in, Hashes.LENGTH);
    }

    static void nonces(List<HeldVersion.SlotNonce> nonces, WireWriter out) {
        out.u8(nonces.size());
        nonces.forEach(n -> out.u8(n.slot()).raw(n.nonce()));
    }

    /** Reads at most 255 nonces, by ascending slot. */
    static List<HeldVersion.SlotNonce> readNonces(WireReader in) {
        int count = in.u8();
        List<HeldVersion.SlotNonce> nonces = new ArrayList<>(count);
        int last = -1;
        for (int i = 0; i < count; i++) {
            last = ascending(last, in.u8());
            nonces.add(new HeldVersion.SlotNonce(last, in.raw(PairwiseKeys.KEY_BYTES)));
        }
        return nonces;
    }

    private static int ascending(int last, int slot) {
        if (slot <= last) {
            throw new MalformedException("slot " + slot + " after " + last);
        }
        return slot;
    }

    private static List<Bytes> readMany(WireReader in, int size) {
        int count = in.u8();
        List<Bytes> many = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            many.add(in.raw(size));
        }
        return many;
    }

    @Override
    public Message readBody(int type, WireReader in) {
        if (type >> 8 != FAMILY) {
            throw new MalformedException("type " + type + " is not of family " + FAMILY);
        }
        Target target = Target.read(in);
        return switch (type & 0xFF) {
            case 1 ->
                new FpMessage.PrepareFragment(
                        target, in.nonNegative64(), in.i64(), Fpcc.decode(in), in.bytes(FRAGMENT_BYTES_MAX));
            case 2 ->
                new FpMessage.PrepareBlock(
                        target, in.nonNegative64(), in.i64(), Fpcc.decode(in), in.bytes(BLOCK_BYTES_MAX));
            case 3 ->
                new FpMessage.Prepared(
                        target, Version.read(in), in.raw(PairwiseKeys.KEY_BYTES), readMany(in, PairwiseKeys.MAC_BYTES));
            case 4 -> readCommit(target, in);
            case 5 -> new FpMessage.Committed(target, Version.read(in));
            case 6 -> new FpMessage.FindTimestamp(target, in.bool());
            case 7 -> new FpMessage.FoundTimestamp(target, Timestamp.read(in), readHolding(in));
            case 8 -> new FpMessage.Read(target, Version.read(in));
            case 9 -> new FpMessage.ReadAnswer(target, Version.read(in), Timestamp.read(in), readHolding(in));
            case 10 -> new FpMessage.Repair(target, Timestamp.readWritten(in));
            case 11 -> new FpMessage.RepairAnswer(target, Timestamp.read(in));
            case 12 -> new FpMessage.AskRepairMac(target, Timestamp.readWritten(in));
            case 13 ->
                new FpMessage.RepairMac(
                        target, Version.read(in), in.raw(PairwiseKeys.KEY_BYTES), in.raw(PairwiseKeys.MAC_BYTES));
            case 14 ->
                new FpMessage.AskLeftover(target, PrincipalId.read(in), in.nonNegative64(), Timestamp.readWritten(in));
            case 15 ->
                new FpMessage.Leftover(
                        target, Version.read(in), constant(LEFTOVER_STATES, in.u8()), Timestamp.read(in));
            case 16 ->
                new FpMessage.Refused(
                        target, constant(ASKED, in.u8()), in.i64(), constant(REFUSALS, in.u8()), in.nonNegative64());
            case 17 -> new FpMessage.Proven(target, Version.read(in));
            default -> throw new MalformedException("unknown type " + type);
        };
    }

    private static FpMessage.Commit readCommit(Target target, WireReader in) {
        long session = in.nonNegative64();
        Timestamp version = Timestamp.readWritten(in);
        int count = in.u8();
        List<FpMessage.PrepareMac> prepares = new ArrayList<>(count);
        int last = -1;
        for (int i = 0; i < count; i++) {
            last = ascending(last, in.u8());
            prepares.add(
                    new FpMessage.PrepareMac(last, in.raw(PairwiseKeys.KEY_BYTES), in.raw(PairwiseKeys.MAC_BYTES)));
        }
        return new FpMessage.Commit(target, session, version.ts(), version.written(), prepares);
    }

    private static @Nullable HeldVersion readHolding(WireReader in) {
        int flags = in.u8();
        if (flags == 0) {
            return null;
        }
        boolean damaged = (flags & 8) != 0;
        if ((flags & 1) == 0 || flags > 15 || (damaged && (flags & 2) != 0)) {
            throw new MalformedException("flags of a holding: " + flags);
        }
        Bytes nonceHash = in.raw(Hashes.LENGTH);
        List<HeldVersion.SlotNonce> nonces = readNonces(in);
        List<Bytes> cc = (flags & 4) == 0 ? null : readHashes(in);
        Bytes fragment = (flags & 2) == 0 ? null : in.bytes(FRAGMENT_BYTES_MAX);
        return new HeldVersion(fragment, cc, nonceHash, nonces, damaged);
    }

    private static <E> E constant(E[] constants, int ordinal) {
        if (ordinal >= constants.length) {
            throw new MalformedException("unknown constant " + ordinal);
        }
        return constants[ordinal];
    }
}
