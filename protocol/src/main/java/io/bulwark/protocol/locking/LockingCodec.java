package io.bulwark.protocol.locking;

import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.Message;
import io.bulwark.protocol.wire.MessageCodec;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Family 11. Type numbers 0x0B01 to 0x0B06, each body the log and what belongs to it. */
public final class LockingCodec implements MessageCodec {
    private static final int FAMILY = 11;
    private static final int APPEND = 0x0B01;
    private static final int APPENDED = 0x0B02;
    private static final int READ = 0x0B03;
    private static final int ANSWER = 0x0B04;
    private static final int ANSWER_DIGEST = 0x0B05;
    private static final int REFUSED = 0x0B06;

    @Override
    public int family() {
        return FAMILY;
    }

    @Override
    public boolean handles(Message message) {
        return message instanceof LockingMessage;
    }

    @Override
    public int typeOf(Message message) {
        return switch ((LockingMessage) message) {
            case LockingMessage.Append ignored -> APPEND;
            case LockingMessage.Appended ignored -> APPENDED;
            case LockingMessage.LogRead ignored -> READ;
            case LockingMessage.LogAnswer ignored -> ANSWER;
            case LockingMessage.LogAnswerDigest ignored -> ANSWER_DIGEST;
            case LockingMessage.LogRefused ignored -> REFUSED;
        };
    }

    @Override
    public void write(Message message, WireWriter out) {
        LockingMessage locking = (LockingMessage) message;
        locking.log().write(out);
        switch (locking) {
            case LockingMessage.Append append -> {
                writeEntries(append.entries(), out);
                append.head().write(out);
            }
            case LockingMessage.Appended appended -> {
                out.i64(appended.length())
                        .raw(appended.hash())
                        .u16(appended.replies().size());
                appended.replies().forEach(out::bytes);
            }
            case LockingMessage.LogRead read -> {
                out.i64(read.call()).u8(read.replier()).i64(read.length());
                out.bool(read.onBehalfOf().isPresent());
                read.onBehalfOf().ifPresent(person -> person.write(out));
                out.bytes(read.query());
            }
            case LockingMessage.LogAnswer answer -> out.i64(answer.call()).bytes(answer.reply());
            case LockingMessage.LogAnswerDigest answer -> out.i64(answer.call()).raw(answer.digest());
            case LockingMessage.LogRefused refused ->
                out.i64(refused.call()).u8(refused.reason().ordinal()).i64(refused.length());
        }
    }

    @Override
    public Message readBody(int type, WireReader in) {
        LogId log = LogId.read(in);
        return switch (type) {
            case APPEND -> new LockingMessage.Append(log, readEntries(in), LogHead.read(in));
            case APPENDED ->
                new LockingMessage.Appended(log, in.nonNegative64(), in.raw(Hashes.LENGTH), readReplies(in));
            case READ ->
                new LockingMessage.LogRead(
                        log,
                        in.nonNegative64(),
                        in.u8(),
                        in.nonNegative64(),
                        in.bool() ? Optional.of(PrincipalId.read(in)) : Optional.empty(),
                        in.bytes(LockingMessage.QUERY_BYTES_MAX));
            case ANSWER ->
                new LockingMessage.LogAnswer(log, in.nonNegative64(), in.bytes(LockingMessage.ANSWER_BYTES_MAX));
            case ANSWER_DIGEST -> new LockingMessage.LogAnswerDigest(log, in.nonNegative64(), in.raw(Hashes.LENGTH));
            case REFUSED ->
                new LockingMessage.LogRefused(log, in.nonNegative64(), LogRefusal.of(in.u8()), in.nonNegative64());
            default -> throw new MalformedException("unknown type " + type);
        };
    }

    static void writeEntries(List<LogEntry> entries, WireWriter out) {
        out.u16(entries.size());
        entries.forEach(entry -> entry.write(out));
    }

    static List<LogEntry> readEntries(WireReader in) {
        int count = in.count16(LogLimits.OUTSTANDING_MAX);
        List<LogEntry> entries = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            entries.add(LogEntry.read(in));
        }
        return entries;
    }

    private static List<Bytes> readReplies(WireReader in) {
        int count = in.count16(LogLimits.OUTSTANDING_MAX);
        List<Bytes> replies = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            replies.add(in.bytes(LockingMessage.REPLY_BYTES_MAX));
        }
        return replies;
    }
}
