package io.bulwark.protocol.pasis;

import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.kernel.Target;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.Message;
import io.bulwark.protocol.wire.MessageCodec;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The canonical encoding of {@link PasisMessage}: family 7. */
public final class PasisCodec implements MessageCodec {
    public static final int FAMILY = 7;

    /** A fragment, at most: of replication the block. */
    static final int FRAGMENT_BYTES_MAX = ProtectionPolicy.BLOCK_BYTES_MAX;

    private static final RequestKind[] ASKED = RequestKind.values();
    private static final PasisRefusal[] REFUSALS = PasisRefusal.values();
    private static final PasisMessage.Held[] HELD = PasisMessage.Held.values();

    @Override
    public int family() {
        return FAMILY;
    }

    @Override
    public boolean handles(Message message) {
        return message instanceof PasisMessage;
    }

    @Override
    public int typeOf(Message message) {
        return FAMILY << 8
                | switch ((PasisMessage) message) {
                    case PasisMessage.FindTime ignored -> 1;
                    case PasisMessage.FoundTime ignored -> 2;
                    case PasisMessage.Write ignored -> 3;
                    case PasisMessage.Written ignored -> 4;
                    case PasisMessage.Read ignored -> 5;
                    case PasisMessage.History ignored -> 6;
                    case PasisMessage.ReadFragment ignored -> 7;
                    case PasisMessage.Fragment ignored -> 8;
                    case PasisMessage.Repair ignored -> 9;
                    case PasisMessage.Repaired ignored -> 10;
                    case PasisMessage.Notify ignored -> 11;
                    case PasisMessage.Refused ignored -> 12;
                };
    }

    @Override
    public void write(Message message, WireWriter out) {
        PasisMessage known = (PasisMessage) message;
        known.target().write(out);
        switch (known) {
            case PasisMessage.FindTime ignored -> {}
            case PasisMessage.FoundTime m -> out.i64(m.time());
            case PasisMessage.Write m -> {
                out.i64(m.session());
                m.timestamp().write(out);
                out.bytes(m.fragment());
            }
            case PasisMessage.Written m -> m.version().write(out);
            case PasisMessage.Read m -> {
                m.before().write(out);
                out.bool(m.withFragment());
                name(m.awaited(), out);
            }
            case PasisMessage.History m -> history(m, out);
            case PasisMessage.ReadFragment m -> m.version().write(out);
            case PasisMessage.Fragment m -> {
                m.version().write(out);
                out.u8(m.held().ordinal());
                m.collected().write(out);
                if (m.held() == PasisMessage.Held.HELD) {
                    out.bytes(m.fragment());
                }
            }
            case PasisMessage.Repair m -> m.version().write(out);
            case PasisMessage.Repaired m -> m.version().write(out);
            case PasisMessage.Notify m -> {
                m.version().write(out);
                out.bool(m.poisonous());
            }
            case PasisMessage.Refused m -> {
                out.u8(m.asked().ordinal());
                name(m.version(), out);
                out.u8(m.refusal().ordinal()).i64(m.epoch());
            }
        }
    }

    private static void name(@Nullable VersionName name, WireWriter out) {
        out.bool(name != null);
        if (name != null) {
            name.write(out);
        }
    }

    private static @Nullable VersionName readName(WireReader in) {
        return in.bool() ? VersionName.read(in) : null;
    }

    private static void history(PasisMessage.History message, WireWriter out) {
        message.before().write(out);
        out.u8(message.versions().size());
        for (PasisMessage.Entry entry : message.versions()) {
            entry.timestamp().write(out);
            out.bool(entry.verified());
        }
        out.bool(message.more());
        message.collected().write(out);
        Bytes fragment = message.fragment();
        out.bool(fragment != null);
        if (fragment != null) {
            out.bytes(fragment);
        }
    }

    @Override
    public Message readBody(int type, WireReader in) {
        if (type >> 8 != FAMILY) {
            throw new MalformedException("type " + type + " is not of family " + FAMILY);
        }
        Target target = Target.read(in);
        return switch (type & 0xFF) {
            case 1 -> new PasisMessage.FindTime(target);
            case 2 -> new PasisMessage.FoundTime(target, in.i64());
            case 3 ->
                new PasisMessage.Write(
                        target, in.nonNegative64(), ValidatingTimestamp.readWritten(in), in.bytes(FRAGMENT_BYTES_MAX));
            case 4 -> new PasisMessage.Written(target, VersionName.read(in));
            case 5 -> new PasisMessage.Read(target, ValidatingTimestamp.read(in), in.bool(), readName(in));
            case 6 -> readHistory(target, in);
            case 7 -> new PasisMessage.ReadFragment(target, VersionName.read(in));
            case 8 -> readFragment(target, in);
            case 9 -> new PasisMessage.Repair(target, ValidatingTimestamp.readWritten(in));
            case 10 -> new PasisMessage.Repaired(target, VersionName.read(in));
            case 11 -> new PasisMessage.Notify(target, ValidatingTimestamp.readWritten(in), in.bool());
            case 12 ->
                new PasisMessage.Refused(
                        target,
                        constant(ASKED, in.u8()),
                        readName(in),
                        constant(REFUSALS, in.u8()),
                        in.nonNegative64());
            default -> throw new MalformedException("unknown type " + type);
        };
    }

    private static PasisMessage.History readHistory(Target target, WireReader in) {
        ValidatingTimestamp before = ValidatingTimestamp.read(in);
        int count = in.u8();
        if (count > PasisMessage.HISTORY_UNIT) {
            throw new MalformedException("a history of " + count + " versions");
        }
        List<PasisMessage.Entry> versions = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            versions.add(new PasisMessage.Entry(ValidatingTimestamp.readWritten(in), in.bool()));
        }
        boolean more = in.bool();
        ValidatingTimestamp collected = ValidatingTimestamp.read(in);
        return new PasisMessage.History(
                target, before, versions, more, collected, in.bool() ? in.bytes(FRAGMENT_BYTES_MAX) : null);
    }

    private static PasisMessage.Fragment readFragment(Target target, WireReader in) {
        VersionName version = VersionName.read(in);
        PasisMessage.Held held = constant(HELD, in.u8());
        ValidatingTimestamp collected = ValidatingTimestamp.read(in);
        Bytes fragment = held == PasisMessage.Held.HELD ? in.bytes(FRAGMENT_BYTES_MAX) : Bytes.EMPTY;
        return new PasisMessage.Fragment(target, version, held, fragment, collected);
    }

    private static <T> T constant(T[] constants, int ordinal) {
        if (ordinal >= constants.length) {
            throw new MalformedException("unknown constant " + ordinal);
        }
        return constants[ordinal];
    }
}
