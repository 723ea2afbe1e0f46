package io.bulwark.transport;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.mac.PairwiseKeys;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.Message;
import io.bulwark.protocol.wire.MessageCodec;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;

/** Family 4: the frames of the handshake. */
final class ControlCodec implements MessageCodec {
    static final int FAMILY = 4;
    private static final int HELLO = 0x0401;
    private static final int CHALLENGE = 0x0402;
    private static final int PROOF = 0x0403;
    private static final int READY = 0x0404;

    @Override
    public int family() {
        return FAMILY;
    }

    @Override
    public boolean handles(Message message) {
        return message instanceof ControlMessage;
    }

    @Override
    public int typeOf(Message message) {
        return switch ((ControlMessage) message) {
            case ControlMessage.Hello hello -> HELLO;
            case ControlMessage.Challenge challenge -> CHALLENGE;
            case ControlMessage.Proof proof -> PROOF;
            case ControlMessage.Ready ready -> READY;
        };
    }

    @Override
    public void write(Message message, WireWriter out) {
        switch ((ControlMessage) message) {
            case ControlMessage.Hello hello -> {
                out.u16(hello.version());
                hello.from().write(out);
                hello.to().write(out);
                out.raw(hello.nonce());
            }
            case ControlMessage.Challenge challenge ->
                out.raw(challenge.nonce()).raw(challenge.mac());
            case ControlMessage.Proof proof -> out.raw(proof.mac());
            case ControlMessage.Ready ready -> {}
        }
    }

    @Override
    public Message readBody(int type, WireReader in) {
        return switch (type) {
            case HELLO ->
                new ControlMessage.Hello(
                        in.u16(), PrincipalId.read(in), PrincipalId.read(in), in.raw(ControlMessage.NONCE_BYTES));
            case CHALLENGE ->
                new ControlMessage.Challenge(in.raw(ControlMessage.NONCE_BYTES), in.raw(PairwiseKeys.MAC_BYTES));
            case PROOF -> new ControlMessage.Proof(in.raw(PairwiseKeys.MAC_BYTES));
            case READY -> new ControlMessage.Ready();
            default -> throw new MalformedException("unknown type " + type);
        };
    }
}
