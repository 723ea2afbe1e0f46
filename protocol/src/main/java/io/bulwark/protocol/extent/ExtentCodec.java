package io.bulwark.protocol.extent;

import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.extent.ExtentMessage.Acknowledged;
import io.bulwark.protocol.extent.ExtentMessage.CheckDepth;
import io.bulwark.protocol.extent.ExtentMessage.Complete;
import io.bulwark.protocol.extent.ExtentMessage.Completed;
import io.bulwark.protocol.extent.ExtentMessage.Found;
import io.bulwark.protocol.extent.ExtentMessage.Holds;
import io.bulwark.protocol.extent.ExtentMessage.NotFound;
import io.bulwark.protocol.extent.ExtentMessage.NotStored;
import io.bulwark.protocol.extent.ExtentMessage.ReadPinned;
import io.bulwark.protocol.extent.ExtentMessage.Request;
import io.bulwark.protocol.extent.ExtentMessage.Store;
import io.bulwark.protocol.extent.ExtentMessage.StoreBlock;
import io.bulwark.protocol.extent.ExtentMessage.Supply;
import io.bulwark.protocol.extent.ExtentMessage.Suspect;
import io.bulwark.protocol.fingerprint.Checksum;
import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.Message;
import io.bulwark.protocol.wire.MessageCodec;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;

/**
 * Family 1. Each body begins with the block id (25 bytes) and the epoch (8); requests go on with the slot (1). Reasons and
 * results are one byte.
 */
public final class ExtentCodec implements MessageCodec {
    public static final int FAMILY = 1;

    static final int STORE = 0x0101;
    static final int STORE_BLOCK = 0x0102;
    static final int READ_PINNED = 0x0103;
    static final int SUSPECT = 0x0104;
    static final int COMPLETE = 0x0105;
    static final int SUPPLY = 0x0106;
    static final int ACKNOWLEDGED = 0x0181;
    static final int NOT_STORED = 0x0182;
    static final int FOUND = 0x0183;
    static final int HOLDS = 0x0184;
    static final int NOT_FOUND = 0x0185;
    static final int COMPLETED = 0x0186;

    /** A block padded to a multiple of m. */
    private static final int CONTENT_BYTES_MAX = ProtectionPolicy.BLOCK_BYTES_MAX + 254;

    private static final StoreRefusal[] STORE_REFUSALS = StoreRefusal.values();
    private static final ReadRefusal[] READ_REFUSALS = ReadRefusal.values();
    private static final CheckDepth[] LOOKS = CheckDepth.values();
    private static final Delivery[] DELIVERIES = Delivery.values();
    private static final CompletionResult[] RESULTS = CompletionResult.values();

    @Override
    public int family() {
        return FAMILY;
    }

    @Override
    public boolean handles(Message message) {
        return message instanceof ExtentMessage;
    }

    @Override
    public int typeOf(Message message) {
        return switch ((ExtentMessage) message) {
            case Store ignored -> STORE;
            case StoreBlock ignored -> STORE_BLOCK;
            case ReadPinned ignored -> READ_PINNED;
            case Suspect ignored -> SUSPECT;
            case Complete ignored -> COMPLETE;
            case Supply ignored -> SUPPLY;
            case Acknowledged ignored -> ACKNOWLEDGED;
            case NotStored ignored -> NOT_STORED;
            case Found ignored -> FOUND;
            case Holds ignored -> HOLDS;
            case NotFound ignored -> NOT_FOUND;
            case Completed ignored -> COMPLETED;
        };
    }

    @Override
    public void write(Message message, WireWriter out) {
        ExtentMessage extent = (ExtentMessage) message;
        extent.block().write(out);
        out.i64(extent.epoch());
        if (extent instanceof Request request) {
            out.u8(request.slot());
        }
        switch (extent) {
            case Store store -> out.raw(store.checksum().encoded()).bytes(store.fragment());
            case StoreBlock store -> out.raw(store.checksum().encoded()).bytes(store.content());
            case Supply supply -> out.raw(supply.checksum().encoded()).bytes(supply.fragment());
            case ReadPinned read -> out.raw(read.pin()).bool(read.wantFragment());
            case Suspect suspect -> out.raw(suspect.pin()).u8(suspect.suspectSlot());
            case Complete complete -> out.raw(complete.pin()).u8(complete.look().ordinal());
            case NotStored answer -> out.u8(answer.reason().ordinal());
            case NotFound answer -> out.u8(answer.reason().ordinal());
            case Completed answer -> out.u8(answer.result().ordinal());
            case Found found ->
                out.raw(found.checksum().encoded())
                        .bytes(found.fragment())
                        .bool(found.verified())
                        .u8(found.delivery().ordinal());
            case Acknowledged ignored -> {}
            case Holds holds -> out.u8(holds.delivery().ordinal());
        }
    }

    @Override
    public Message readBody(int type, WireReader in) {
        BlockId block = BlockId.read(in);
        long epoch = in.nonNegative64();
        return switch (type) {
            case STORE -> {
                int slot = in.u8();
                Checksum checksum = Checksum.decode(in);
                yield new Store(block, epoch, slot, in.bytes(ProtectionPolicy.BLOCK_BYTES_MAX), checksum);
            }
            case STORE_BLOCK -> {
                int slot = in.u8();
                Checksum checksum = Checksum.decode(in);
                yield new StoreBlock(block, epoch, slot, in.bytes(CONTENT_BYTES_MAX), checksum);
            }
            case SUPPLY -> {
                int slot = in.u8();
                Checksum checksum = Checksum.decode(in);
                yield new Supply(block, epoch, slot, in.bytes(ProtectionPolicy.BLOCK_BYTES_MAX), checksum);
            }
            case READ_PINNED -> new ReadPinned(block, epoch, in.u8(), in.raw(Hashes.LENGTH), in.bool());
            case SUSPECT -> new Suspect(block, epoch, in.u8(), in.raw(Hashes.LENGTH), in.u8());
            case COMPLETE -> new Complete(block, epoch, in.u8(), in.raw(Hashes.LENGTH), constant(LOOKS, in.u8()));
            case ACKNOWLEDGED -> new Acknowledged(block, epoch);
            case NOT_STORED -> new NotStored(block, epoch, constant(STORE_REFUSALS, in.u8()));
            case FOUND -> {
                Checksum checksum = Checksum.decode(in);
                Bytes fragment = in.bytes(ProtectionPolicy.BLOCK_BYTES_MAX);
                yield new Found(block, epoch, checksum, fragment, in.bool(), constant(DELIVERIES, in.u8()));
            }
            case HOLDS -> new Holds(block, epoch, constant(DELIVERIES, in.u8()));
            case NOT_FOUND -> new NotFound(block, epoch, constant(READ_REFUSALS, in.u8()));
            case COMPLETED -> new Completed(block, epoch, constant(RESULTS, in.u8()));
            default -> throw new MalformedException("unknown type of message " + type);
        };
    }

    private static <E extends Enum<E>> E constant(E[] values, int code) {
        if (code >= values.length) {
            throw new MalformedException("unknown code " + code);
        }
        return values[code];
    }
}
