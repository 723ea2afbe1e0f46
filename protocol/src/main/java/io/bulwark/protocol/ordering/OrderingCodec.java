package io.bulwark.protocol.ordering;

import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.ordering.recovery.RecoveryStatus;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.Message;
import io.bulwark.protocol.wire.MessageCodec;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;

/**
 * Family 3. Clients and replicas: type numbers 0x0301 to 0x0308, each body the call number and what belongs to it.
 * Replicas among themselves: 0x0310 to 0x031A.
 */
public final class OrderingCodec implements MessageCodec {
    private static final int FAMILY = 3;
    private static final int SUBMIT = 0x0301;
    private static final int QUERY = 0x0302;
    private static final int ORDERED_QUERY = 0x0303;
    private static final int REPLY = 0x0304;
    private static final int REFUSED = 0x0305;
    private static final int ASK_RECOVERY = 0x0306;
    private static final int TOLD_RECOVERY = 0x0307;
    private static final int REPLY_DIGEST = 0x0308;

    @Override
    public int family() {
        return FAMILY;
    }

    @Override
    public boolean handles(Message message) {
        return message instanceof OrderingMessage
                || message instanceof RecoveryMessage
                || message instanceof PeerMessage;
    }

    @Override
    public int typeOf(Message message) {
        if (message instanceof PeerMessage peer) {
            return PeerCodec.typeOf(peer);
        }
        if (message instanceof RecoveryMessage recovery) {
            return recovery instanceof RecoveryMessage.StatusQuery ? ASK_RECOVERY : TOLD_RECOVERY;
        }
        return switch ((OrderingMessage) message) {
            case OrderingMessage.Submit ignored -> SUBMIT;
            case OrderingMessage.Query ignored -> QUERY;
            case OrderingMessage.OrderedQuery ignored -> ORDERED_QUERY;
            case OrderingMessage.Reply ignored -> REPLY;
            case OrderingMessage.Refused ignored -> REFUSED;
            case OrderingMessage.ReplyDigest ignored -> REPLY_DIGEST;
        };
    }

    @Override
    public void write(Message message, WireWriter out) {
        if (message instanceof PeerMessage peer) {
            PeerCodec.write(peer, out);
            return;
        }
        if (message instanceof RecoveryMessage recovery) {
            out.i64(recovery.call());
            if (recovery instanceof RecoveryMessage.StatusAnswer told) {
                told.status().write(out.i32(told.leader()).i64(told.view()));
            }
            return;
        }
        OrderingMessage ordering = (OrderingMessage) message;
        out.i64(ordering.call());
        switch (ordering) {
            case OrderingMessage.Submit submit -> out.u8(submit.replier()).bytes(submit.command());
            case OrderingMessage.Query query -> out.u8(query.replier()).bytes(query.query());
            case OrderingMessage.OrderedQuery query -> out.u8(query.replier()).bytes(query.query());
            case OrderingMessage.Reply reply -> out.i64(reply.incarnation()).bytes(reply.reply());
            case OrderingMessage.Refused refused -> out.u8(refused.reason().ordinal());
            case OrderingMessage.ReplyDigest said -> out.i64(said.incarnation()).raw(said.digest());
        }
    }

    @Override
    public Message readBody(int type, WireReader in) {
        return type >= PeerCodec.FIRST ? PeerCodec.read(type, in) : readOrdering(type, in);
    }

    private static Message readOrdering(int type, WireReader in) {
        long call = in.i64();
        return switch (type) {
            case SUBMIT -> new OrderingMessage.Submit(call, in.u8(), in.bytes(OrderingMessage.COMMAND_BYTES_MAX));
            case QUERY -> new OrderingMessage.Query(call, in.u8(), in.bytes(OrderingMessage.COMMAND_BYTES_MAX));
            case ORDERED_QUERY ->
                new OrderingMessage.OrderedQuery(call, in.u8(), in.bytes(OrderingMessage.COMMAND_BYTES_MAX));
            case REPLY ->
                new OrderingMessage.Reply(call, in.nonNegative64(), in.bytes(OrderingMessage.REPLY_BYTES_MAX));
            case REFUSED -> new OrderingMessage.Refused(call, CallRefusal.of(in.u8()));
            case ASK_RECOVERY -> new RecoveryMessage.StatusQuery(call);
            case TOLD_RECOVERY -> recoveryStatus(call, in);
            case REPLY_DIGEST -> new OrderingMessage.ReplyDigest(call, in.nonNegative64(), in.raw(Hashes.LENGTH));
            default -> throw new MalformedException("unknown type " + type);
        };
    }

    private static RecoveryMessage.StatusAnswer recoveryStatus(long call, WireReader in) {
        int leader = in.i32(RecoveryMessage.StatusAnswer.NONE, Integer.MAX_VALUE);
        long view = in.i64();
        if (view < RecoveryMessage.StatusAnswer.NONE) {
            throw new MalformedException("view " + view);
        }
        return new RecoveryMessage.StatusAnswer(call, leader, view, RecoveryStatus.read(in));
    }
}
