package io.bulwark.protocol.metadata;

import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.metadata.Command.AbortUpload;
import io.bulwark.protocol.metadata.Command.BeginUpload;
import io.bulwark.protocol.metadata.Command.CompleteUpload;
import io.bulwark.protocol.metadata.Command.ComposeObject;
import io.bulwark.protocol.metadata.Command.CopyPart;
import io.bulwark.protocol.metadata.Command.PutPart;
import io.bulwark.protocol.metadata.Reply.PartEntry;
import io.bulwark.protocol.metadata.Reply.PartList;
import io.bulwark.protocol.metadata.Reply.PartStored;
import io.bulwark.protocol.metadata.Reply.SliceEntry;
import io.bulwark.protocol.metadata.Reply.SliceList;
import io.bulwark.protocol.metadata.Reply.UploadBegun;
import io.bulwark.protocol.metadata.Reply.UploadEntry;
import io.bulwark.protocol.metadata.Reply.UploadFound;
import io.bulwark.protocol.metadata.Reply.UploadList;
import io.bulwark.protocol.object.ObjectAttributes;
import io.bulwark.protocol.object.ObjectContent;
import io.bulwark.protocol.object.ObjectLock;
import io.bulwark.protocol.object.OwnContent;
import io.bulwark.protocol.object.Slice;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;

/** Canonical bytes of the commands and replies about uploads and compositions. */
final class UploadCodec {
    private static final int COMPOSE = 40;
    private static final int BEGIN = 41;
    private static final int PUT_PART = 42;
    private static final int COPY_PART = 43;
    private static final int COMPLETE = 44;
    private static final int ABORT = 45;

    private static final int PART_STORED = 40;
    private static final int BEGUN = 41;
    private static final int SLICES = 42;
    private static final int FOUND = 43;
    private static final int UPLOADS = 44;
    private static final int PARTS = 45;

    private UploadCodec() {}

    static void write(Command.OfUpload command, WireWriter out) {
        switch (command) {
            case ComposeObject compose -> {
                out.u8(COMPOSE).string(compose.bucket()).string(compose.key());
                compose.condition().write(out);
                Lists.write(compose.slices(), out, ObjectRange::write);
                compose.attributes().write(out);
                compose.lock().write(out);
            }
            case BeginUpload begin -> {
                out.u8(BEGIN).string(begin.bucket()).string(begin.key());
                begin.attributes().write(out);
                begin.lock().write(out);
            }
            case PutPart put -> {
                put.upload().write(out.u8(PUT_PART));
                ObjectContent.write(put.content(), out.u16(put.number()));
                put.attributes().write(out);
                Lists.write(put.epochs(), out, EpochClaim::write);
                Lists.write(put.pending(), out, (id, to) -> to.i64(id));
            }
            case CopyPart copy -> {
                copy.upload().write(out.u8(COPY_PART));
                Lists.write(copy.slices(), out.u16(copy.number()), ObjectRange::write);
                copy.attributes().write(out);
            }
            case CompleteUpload complete -> {
                complete.upload().write(out.u8(COMPLETE));
                complete.parts().write(out);
                complete.condition().write(out);
                complete.added().write(out);
            }
            case AbortUpload abort -> abort.upload().write(out.u8(ABORT));
        }
    }

    /** @throws MalformedException if there is no command of this type */
    static Command read(int type, WireReader in) {
        try {
            return switch (type) {
                case COMPOSE ->
                    new ComposeObject(
                            name(in),
                            name(in),
                            Condition.read(in),
                            Lists.read(in, Command.SLICES_MAX, ObjectRange::read),
                            ObjectAttributes.read(in),
                            ObjectLock.read(in));
                case BEGIN -> new BeginUpload(name(in), name(in), ObjectAttributes.read(in), ObjectLock.read(in));
                case PUT_PART ->
                    new PutPart(
                            UploadName.read(in),
                            in.u16(),
                            OwnContent.read(in),
                            ObjectAttributes.read(in),
                            Lists.read(in, Volume.GROUPS_MAX, EpochClaim::read),
                            Lists.read(in, Command.PENDING_MAX, WireReader::nonNegative64));
                case COPY_PART ->
                    new CopyPart(
                            UploadName.read(in),
                            in.u16(),
                            Lists.read(in, Command.SLICES_MAX, ObjectRange::read),
                            ObjectAttributes.read(in));
                case COMPLETE ->
                    new CompleteUpload(
                            UploadName.read(in), PartSelection.read(in), Condition.read(in), ObjectAttributes.read(in));
                case ABORT -> new AbortUpload(UploadName.read(in));
                default -> throw new MalformedException("unknown command " + type);
            };
        } catch (IllegalArgumentException e) {
            throw new MalformedException(e);
        }
    }

    static void write(Query.OfUpload query, WireWriter out) {
        switch (query) {
            case Query.FindSlices find ->
                out.u8(24)
                        .string(find.bucket())
                        .string(find.key())
                        .i64(find.version())
                        .i64(find.offset())
                        .i32(find.limit());
            case Query.FindUpload find -> find.upload().write(out.u8(25));
            case Query.ListUploads list ->
                out.u8(26)
                        .string(list.bucket())
                        .string(list.prefix())
                        .string(list.afterKey())
                        .i64(list.afterUpload())
                        .i32(list.limit());
            case Query.ListParts list -> {
                list.upload().write(out.u8(27));
                out.i32(list.afterNumber()).i32(list.limit());
            }
        }
    }

    static void write(Reply.OfUpload reply, WireWriter out) {
        switch (reply) {
            case PartStored stored ->
                out.u8(PART_STORED).i64(stored.inode()).i64(stored.length()).i64(stored.storedMillis());
            case UploadBegun begun -> out.u8(BEGUN).i64(begun.upload()).i64(begun.begunMillis());
            case SliceList list -> Lists.write(list.slices(), out.u8(SLICES), UploadCodec::writeSlice);
            case UploadFound found -> writeUpload(found.upload(), out.u8(FOUND));
            case UploadList list -> {
                Lists.write(list.uploads(), out.u8(UPLOADS), UploadCodec::writeUpload);
                out.bool(list.more());
            }
            case PartList list -> {
                Lists.write(list.parts(), out.u8(PARTS), UploadCodec::writePart);
                out.bool(list.more());
            }
        }
    }

    /** @throws MalformedException if there is no reply of this type */
    static Reply readReply(int type, WireReader in) {
        return switch (type) {
            case PART_STORED -> new PartStored(in.nonNegative64(), in.nonNegative64(), in.nonNegative64());
            case BEGUN -> new UploadBegun(in.nonNegative64(), in.nonNegative64());
            case SLICES -> new SliceList(Lists.read(in, Query.PAGE_MAX, UploadCodec::readSlice));
            case FOUND -> new UploadFound(readUpload(in));
            case UPLOADS -> new UploadList(Lists.read(in, Query.PAGE_MAX, UploadCodec::readUpload), in.bool());
            case PARTS -> new PartList(Lists.read(in, Query.PAGE_MAX, UploadCodec::readPart), in.bool());
            default -> throw new MalformedException("unknown reply " + type);
        };
    }

    private static void writeSlice(SliceEntry entry, WireWriter out) {
        entry.slice().write(out.i64(entry.start()));
        ObjectContent.write(entry.content(), out);
    }

    private static SliceEntry readSlice(WireReader in) {
        return new SliceEntry(in.nonNegative64(), Slice.read(in), OwnContent.read(in));
    }

    private static void writeUpload(UploadEntry entry, WireWriter out) {
        out.string(entry.key()).i64(entry.upload()).i64(entry.begunMillis());
        entry.attributes().write(out.i32(entry.parts()).i64(entry.bytes()));
        entry.lock().write(out);
    }

    private static UploadEntry readUpload(WireReader in) {
        return new UploadEntry(
                in.string(Names.KEY_BYTES_MAX),
                in.nonNegative64(),
                in.nonNegative64(),
                in.i32(0, PartSelection.NUMBER_MAX),
                in.nonNegative64(),
                ObjectAttributes.read(in),
                ObjectLock.read(in));
    }

    private static void writePart(PartEntry entry, WireWriter out) {
        out.u16(entry.number()).i64(entry.inode()).i64(entry.length()).i64(entry.storedMillis());
        entry.attributes().write(out);
    }

    private static PartEntry readPart(WireReader in) {
        return new PartEntry(
                in.count16(PartSelection.NUMBER_MAX),
                in.nonNegative64(),
                in.nonNegative64(),
                in.nonNegative64(),
                ObjectAttributes.read(in));
    }

    private static String name(WireReader in) {
        return in.string(Names.WIRE_BYTES_MAX);
    }
}
