package io.bulwark.protocol.ordering.membership;

import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.ordering.key.KeyMessage.AskNonce;
import io.bulwark.protocol.ordering.key.Signing;
import io.bulwark.protocol.ordering.membership.MembershipMessage.AskSuccessor;
import io.bulwark.protocol.ordering.membership.MembershipMessage.Ended;
import io.bulwark.protocol.ordering.membership.MembershipMessage.Successor;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Numbered;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.Message;
import io.bulwark.protocol.wire.MessageCodec;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireVersions;
import io.bulwark.protocol.wire.WireWriter;

/**
 * Family 10: how configurations of replicas follow each other, and what begins in a later one, type numbers 0x0A01 to
 * 0x0A05.
 */
public final class MembershipCodec implements MessageCodec {
    private static final int FAMILY = 10;
    private static final int FIRST = 0x0A01;

    @Override
    public int family() {
        return FAMILY;
    }

    @Override
    public int since(Message message) {
        return isMandated(message) ? WireVersions.MANDATES : WireVersions.OTHER_REPLICAS;
    }

    private static boolean isMandated(Message message) {
        return message instanceof Successor said && !said.authorization().isEmpty();
    }

    @Override
    public boolean handles(Message message) {
        return message instanceof MembershipMessage || (message instanceof AskNonce ask && ask.configuration() > 0);
    }

    @Override
    public int typeOf(Message message) {
        return FIRST
                + switch (message) {
                    case Ended _ -> 0;
                    case AskSuccessor _ -> 1;
                    case Successor _ -> isMandated(message) ? 4 : 2;
                    case AskNonce _ -> 3;
                    default -> throw new IllegalArgumentException("not of this family: " + message);
                };
    }

    @Override
    public void write(Message message, WireWriter out) {
        switch (message) {
            case Ended ended ->
                out.i64(ended.configuration())
                        .i64(ended.checkpoint().sequence())
                        .raw(ended.checkpoint().digest())
                        .bytes(ended.signature());
            case AskSuccessor ask -> out.i64(ask.configuration());
            case Successor successor -> {
                successor.proof().write(out);
                if (isMandated(successor)) {
                    out.bytes(successor.authorization());
                }
            }
            case AskNonce ask -> out.i64(ask.watchdogMillis()).i64(ask.configuration());
            default -> throw new IllegalArgumentException("not of this family: " + message);
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
            case 2 -> new Successor(HandoverProof.read(in), Bytes.EMPTY);
            case 3 -> new AskNonce(in.nonNegative64(), later(in));
            case 4 -> new Successor(HandoverProof.read(in), authorization(in));
            default -> throw new MalformedException("unknown type " + type);
        };
    }

    private static Bytes authorization(WireReader in) {
        Bytes authorization = in.bytes(OperatorAuthorizations.BYTES_MAX);
        if (authorization.isEmpty()) {
            throw new MalformedException("an invalid mandate");
        }
        return authorization;
    }

    private static long later(WireReader in) {
        long configuration = in.i64();
        if (configuration < 1) {
            throw new MalformedException("configuration " + configuration);
        }
        return configuration;
    }
}
