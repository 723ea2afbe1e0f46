package io.bulwark.protocol.metadata;

import io.bulwark.protocol.metadata.Command.CreateBucket;
import io.bulwark.protocol.metadata.Command.NewDocument;
import io.bulwark.protocol.metadata.Command.PutDocument;
import io.bulwark.protocol.metadata.Command.RemoveDocument;
import io.bulwark.protocol.metadata.Command.SetLegalHold;
import io.bulwark.protocol.metadata.Command.SetRetention;
import io.bulwark.protocol.metadata.Command.SetTags;
import io.bulwark.protocol.metadata.Command.UpdateBucket;
import io.bulwark.protocol.object.ObjectAttributes;
import io.bulwark.protocol.object.Retention;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.Optional;

/** Canonical bytes of commands that make buckets, change their settings, and facts of versions. */
final class BucketCodec {
    static final int UPDATE_BUCKET = 60;
    static final int PUT_DOCUMENT = 61;
    static final int REMOVE_DOCUMENT = 62;
    static final int SET_TAGS = 63;
    static final int SET_RETENTION = 64;
    static final int SET_LEGAL_HOLD = 65;

    private BucketCodec() {}

    static void write(CreateBucket create, WireWriter out) {
        out.string(create.name())
                .string(create.volume())
                .u8(create.versioning().ordinal())
                .i64(create.quotaBytes())
                .bool(create.objectLock())
                .bool(create.document().isPresent());
        create.document().ifPresent(document -> out.string(document.name()).bytes(document.content()));
    }

    static CreateBucket readCreation(WireReader in) {
        return new CreateBucket(
                name(in),
                name(in),
                Versioning.read(in),
                in.nonNegative64(),
                in.bool(),
                in.bool()
                        ? Optional.of(new NewDocument(name(in), in.bytes(Command.DOCUMENT_BYTES_MAX)))
                        : Optional.empty());
    }

    static void write(Command.OfSetting command, WireWriter out) {
        switch (command) {
            case UpdateBucket update ->
                update.change().write(out.u8(UPDATE_BUCKET).string(update.name()));
            case PutDocument put -> {
                put.condition().write(out.u8(PUT_DOCUMENT).string(put.bucket()).string(put.name()));
                out.bytes(put.content());
            }
            case RemoveDocument remove ->
                remove.condition()
                        .write(out.u8(REMOVE_DOCUMENT).string(remove.bucket()).string(remove.name()));
            case SetTags set -> {
                out.u8(SET_TAGS).string(set.bucket()).string(set.key()).i64(set.version());
                ObjectAttributes.writeTags(set.tags(), out);
                out.bool(set.before().isPresent());
                set.before().ifPresent(before -> ObjectAttributes.writeTags(before, out));
            }
            case SetRetention set -> {
                out.u8(SET_RETENTION).string(set.bucket()).string(set.key()).i64(set.version());
                set.retention().write(out);
                out.bool(set.bypassGovernance());
            }
            case SetLegalHold set ->
                out.u8(SET_LEGAL_HOLD)
                        .string(set.bucket())
                        .string(set.key())
                        .i64(set.version())
                        .bool(set.held());
        }
    }

    static Command read(int type, WireReader in) {
        return switch (type) {
            case UPDATE_BUCKET -> new UpdateBucket(name(in), BucketChange.read(in));
            case PUT_DOCUMENT ->
                new PutDocument(name(in), name(in), Condition.read(in), in.bytes(Command.DOCUMENT_BYTES_MAX));
            case REMOVE_DOCUMENT -> new RemoveDocument(name(in), name(in), Condition.read(in));
            case SET_TAGS -> readTags(in);
            case SET_RETENTION ->
                new SetRetention(name(in), name(in), in.nonNegative64(), Retention.read(in), in.bool());
            case SET_LEGAL_HOLD -> new SetLegalHold(name(in), name(in), in.nonNegative64(), in.bool());
            default -> throw new MalformedException("unknown command " + type);
        };
    }

    private static SetTags readTags(WireReader in) {
        try {
            return new SetTags(
                    name(in),
                    name(in),
                    in.nonNegative64(),
                    ObjectAttributes.readTags(in),
                    in.bool() ? Optional.of(ObjectAttributes.readTags(in)) : Optional.empty());
        } catch (IllegalArgumentException e) {
            throw new MalformedException(e);
        }
    }

    private static String name(WireReader in) {
        return in.string(Names.WIRE_BYTES_MAX);
    }

    static void write(Reply.OfDocument reply, WireWriter out) {
        switch (reply) {
            case Reply.DocumentStored stored -> out.u8(60).i64(stored.number());
            case Reply.DocumentFound found -> out.u8(61).i64(found.number()).bytes(found.content());
            case Reply.DocumentList list ->
                Lists.write(
                        list.documents(),
                        out.u8(62),
                        (entry, to) -> to.string(entry.name()).i64(entry.number()));
        }
    }

    static Reply readReply(int type, WireReader in) {
        return switch (type) {
            case 60 -> new Reply.DocumentStored(in.nonNegative64());
            case 61 -> new Reply.DocumentFound(in.nonNegative64(), in.bytes(Command.DOCUMENT_BYTES_MAX));
            case 62 -> new Reply.DocumentList(Lists.read(in, Command.DOCUMENTS_MAX, BucketCodec::readDocument));
            default -> throw new MalformedException("unknown reply " + type);
        };
    }

    private static Reply.DocumentEntry readDocument(WireReader in) {
        return new Reply.DocumentEntry(in.string(Names.NAME_LENGTH_MAX), in.nonNegative64());
    }
}
