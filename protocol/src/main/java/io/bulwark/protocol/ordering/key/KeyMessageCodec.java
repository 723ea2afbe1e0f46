package io.bulwark.protocol.ordering.key;

import io.bulwark.protocol.mac.PairwiseKeys;
import io.bulwark.protocol.ordering.key.KeyMessage.AskNonce;
import io.bulwark.protocol.ordering.key.KeyMessage.Authentic;
import io.bulwark.protocol.ordering.key.KeyMessage.GiveNonce;
import io.bulwark.protocol.ordering.key.KeyMessage.NewKey;
import io.bulwark.protocol.ordering.key.KeyMessage.NoKey;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.Message;
import io.bulwark.protocol.wire.MessageCodec;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;

/** Family 8: session keys between replicas, type numbers 0x0801 to 0x0805. */
public final class KeyMessageCodec implements MessageCodec {
    private static final int FAMILY = 8;
    private static final int FIRST = 0x0801;

    @Override
    public int family() {
        return FAMILY;
    }

    @Override
    public boolean handles(Message message) {
        return message instanceof KeyMessage;
    }

    @Override
    public int typeOf(Message message) {
        return FIRST
                + switch ((KeyMessage) message) {
                    case AskNonce ignored -> 0;
                    case GiveNonce ignored -> 1;
                    case NewKey ignored -> 2;
                    case NoKey ignored -> 3;
                    case Authentic ignored -> 4;
                };
    }

    @Override
    public void write(Message message, WireWriter out) {
        switch ((KeyMessage) message) {
            case NoKey ignored -> {}
            case AskNonce ask -> out.i64(ask.watchdogMillis()).i64(ask.configuration());
            case GiveNonce give -> out.raw(give.nonce());
            case NewKey key -> out.raw(key.nonce()).bytes(key.sealed()).bytes(key.signature());
            case Authentic said -> out.u16(said.type()).raw(said.mac()).bytes(said.body());
        }
    }

    @Override
    public Message readBody(int type, WireReader in) {
        return switch (type - FIRST) {
            case 0 -> new AskNonce(in.nonNegative64(), in.nonNegative64());
            case 1 -> new GiveNonce(in.raw(KeyMessage.NONCE_BYTES));
            case 2 ->
                new NewKey(
                        in.raw(KeyMessage.NONCE_BYTES),
                        in.bytes(KeyCipher.SEALED_BYTES_MAX),
                        in.bytes(Signing.SIGNATURE_BYTES_MAX));
            case 3 -> new NoKey();
            case 4 -> {
                int of = in.u16();
                var mac = in.raw(PairwiseKeys.MAC_BYTES);
                yield new Authentic(of, in.bytes(KeyMessage.BODY_BYTES_MAX), mac);
            }
            default -> throw new MalformedException("unknown type " + type);
        };
    }
}
