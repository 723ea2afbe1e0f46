package io.bulwark.protocol.ordering.membership;

import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.ordering.key.Signing;
import io.bulwark.protocol.ordering.membership.MembershipMessage.AskSuccessor;
import io.bulwark.protocol.ordering.membership.MembershipMessage.Ended;
import io.bulwark.protocol.ordering.membership.MembershipMessage.Successor;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Numbered;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.Message;
import io.bulwark.protocol.wire.MessageCodec;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;

/** Family 10: messages about configurations of replicas, type numbers 0x0A01 to 0x0A03. */
public final class MembershipCodec implements MessageCodec {
    private static final int FAMILY = 10;
    private static final int FIRST = 0x0A01;

    @Override
    public int family() {
        return FAMILY;
    }

    @Override
    public boolean handles(Message message) {
        return message instanceof MembershipMessage;
    }

    @Override
    public int typeOf(Message message) {
        return FIRST
                + switch ((MembershipMessage) message) {
                    case Ended ignored -> 0;
                    case AskSuccessor ignored -> 1;
                    case Successor ignored -> 2;
                };
    }

    @Override
    public void write(Message message, WireWriter out) {
        switch ((MembershipMessage) message) {
            case Ended ended ->
                out.i64(ended.configuration())
                        .i64(ended.checkpoint().sequence())
                        .raw(ended.checkpoint().digest())
                        .bytes(ended.signature());
            case AskSuccessor ask -> out.i64(ask.configuration());
            case Successor successor -> {
                successor.proof().write(out);
                out.bytes(successor.authorization());
            }
        }
    }

    @Override
    public Message readBody(int type, WireReader in) {
        return switch (type - FIRST) {
            case 0 ->
                new Ended(
                        in.nonNegative64(),
                        new Numbered(in.nonNegative64(), in.raw(Hashes.LENGTH)),
                        in.bytes(Signing.SIGNATURE_BYTES_MAX));
            case 1 -> new AskSuccessor(in.nonNegative64());
            case 2 -> new Successor(HandoverProof.read(in), in.bytes(OperatorAuthorizations.BYTES_MAX));
            default -> throw new MalformedException("unknown type " + type);
        };
    }
}
