package io.bulwark.appliance.protocols;

import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.kernel.Target;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.Message;
import io.bulwark.protocol.wire.MessageCodec;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;

/** The encoding of {@link BenignMessage}: family 255, which no product has. */
final class BenignCodec implements MessageCodec {
    private static final int FAMILY = 255;

    @Override
    public int family() {
        return FAMILY;
    }

    @Override
    public boolean handles(Message message) {
        return message instanceof BenignMessage;
    }

    @Override
    public int typeOf(Message message) {
        return FAMILY << 8
                | switch ((BenignMessage) message) {
                    case BenignMessage.Write _ -> 1;
                    case BenignMessage.Written _ -> 2;
                    case BenignMessage.Read _ -> 3;
                    case BenignMessage.Fragment _ -> 4;
                };
    }

    @Override
    public void write(Message message, WireWriter out) {
        BenignMessage known = (BenignMessage) message;
        known.target().write(out);
        switch (known) {
            case BenignMessage.Write write -> out.bytes(write.fragment());
            case BenignMessage.Fragment held -> out.bytes(held.fragment());
            case BenignMessage.Written _, BenignMessage.Read _ -> {}
        }
    }

    @Override
    public Message readBody(int type, WireReader in) {
        Target target = Target.read(in);
        return switch (type & 0xFF) {
            case 1 -> new BenignMessage.Write(target, in.bytes(ProtectionPolicy.BLOCK_BYTES_MAX));
            case 2 -> new BenignMessage.Written(target);
            case 3 -> new BenignMessage.Read(target);
            case 4 -> new BenignMessage.Fragment(target, in.bytes(ProtectionPolicy.BLOCK_BYTES_MAX));
            default -> throw new MalformedException("unknown type " + type);
        };
    }
}
