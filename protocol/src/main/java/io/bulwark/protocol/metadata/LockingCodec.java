package io.bulwark.protocol.metadata;

import io.bulwark.protocol.id.PrincipalKey;
import io.bulwark.protocol.locking.LogId;
import io.bulwark.protocol.locking.LogLimits;
import io.bulwark.protocol.locking.Subtree;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.Optional;

/** Canonical bytes of the commands, queries and replies about locks. */
final class LockingCodec {
    private LockingCodec() {}

    static void write(Command.OfLocking command, WireWriter out) {
        switch (command) {
            case Command.Lock lock -> {
                Lists.write(lock.subtrees(), out.u8(70), Subtree::write);
                lock.key().write(out);
            }
            case Command.Unlock ignored -> out.u8(71);
            case Command.OpenRound open -> open.subtree().write(out.u8(72));
        }
    }

    static Command read(int type, WireReader in) {
        return switch (type) {
            case 70 -> new Command.Lock(Lists.read(in, LogLimits.SUBTREES_MAX, Subtree::read), PrincipalKey.read(in));
            case 71 -> new Command.Unlock();
            case 72 -> new Command.OpenRound(Subtree.read(in));
            default -> throw new MalformedException("unknown command " + type);
        };
    }

    static void write(Query.OfLocking query, WireWriter out) {
        switch (query) {
            case Query.ListLocks list -> {
                out.u8(70).bool(list.after().isPresent());
                list.after().ifPresent(after -> after.write(out));
                out.i32(list.limit());
            }
            case Query.LogOutcome of ->
                out.u8(71).i64(of.session()).i64(of.lock()).i64(of.fromNumber());
        }
    }

    static Query readQuery(int type, WireReader in) {
        return switch (type) {
            case 70 ->
                new Query.ListLocks(
                        in.bool() ? Optional.of(Subtree.read(in)) : Optional.empty(), in.i32(1, Query.PAGE_MAX));
            case 71 -> new Query.LogOutcome(in.nonNegative64(), in.nonNegative64(), in.nonNegative64());
            default -> throw new MalformedException("unknown query " + type);
        };
    }

    static void write(Reply.OfLocking reply, WireWriter out) {
        switch (reply) {
            case Reply.Locked locked -> {
                locked.log().write(out.u8(70));
                out.i64(locked.agreedMillis()).i64(locked.firstInode()).i64(locked.firstVersion());
                out.i64(locked.bytes()).i64(locked.weight());
            }
            case Reply.LockList list -> {
                Lists.write(list.locks(), out.u8(71), LockingCodec::writeEntry);
                out.bool(list.more());
            }
            case Reply.LogOutcome outcome -> {
                out.u8(72).i64(outcome.length()).i64(outcome.first());
                Lists.write(outcome.replies(), out, (result, to) -> to.bytes(result));
            }
        }
    }

    static Reply readReply(int type, WireReader in) {
        return switch (type) {
            case 70 ->
                new Reply.Locked(
                        LogId.read(in),
                        in.nonNegative64(),
                        in.nonNegative64(),
                        in.nonNegative64(),
                        in.nonNegative64(),
                        in.nonNegative64());
            case 71 -> new Reply.LockList(Lists.read(in, Query.PAGE_MAX, LockingCodec::readEntry), in.bool());
            case 72 ->
                new Reply.LogOutcome(
                        in.nonNegative64(),
                        in.nonNegative64(),
                        Lists.read(in, LogLimits.OUTSTANDING_MAX, from -> from.bytes(Submission.BYTES_MAX)));
            default -> throw new MalformedException("unknown reply " + type);
        };
    }

    private static void writeEntry(Reply.LockEntry entry, WireWriter out) {
        entry.subtree().write(out);
        entry.log().write(out);
        out.i64(entry.ageMillis()).bool(entry.reason().isPresent());
        entry.reason().ifPresent(reason -> reason.write(out));
    }

    private static Reply.LockEntry readEntry(WireReader in) {
        return new Reply.LockEntry(
                Subtree.read(in),
                LogId.read(in),
                in.nonNegative64(),
                in.bool() ? Optional.of(RoundReason.read(in)) : Optional.empty());
    }
}
