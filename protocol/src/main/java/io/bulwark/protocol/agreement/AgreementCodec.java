package io.bulwark.protocol.agreement;

import io.bulwark.protocol.agreement.AgreementMessage.AskNonce;
import io.bulwark.protocol.agreement.AgreementMessage.GiveNonce;
import io.bulwark.protocol.agreement.AgreementMessage.KeyAccepted;
import io.bulwark.protocol.agreement.AgreementMessage.NewKey;
import io.bulwark.protocol.ordering.key.KeyCipher;
import io.bulwark.protocol.ordering.key.Signing;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.Message;
import io.bulwark.protocol.wire.MessageCodec;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;

/** The canonical encoding of {@link AgreementMessage}: family 9. */
public final class AgreementCodec implements MessageCodec {
    private static final int FAMILY = 9;
    private static final int FIRST = FAMILY << 8 | 1;

    @Override
    public int family() {
        return FAMILY;
    }

    @Override
    public boolean handles(Message message) {
        return message instanceof AgreementMessage;
    }

    @Override
    public int typeOf(Message message) {
        return FIRST
                + switch ((AgreementMessage) message) {
                    case AskNonce ignored -> 0;
                    case GiveNonce ignored -> 1;
                    case NewKey ignored -> 2;
                    case KeyAccepted ignored -> 3;
                };
    }

    @Override
    public void write(Message message, WireWriter out) {
        switch ((AgreementMessage) message) {
            case AskNonce ignored -> {}
            case GiveNonce give -> out.raw(give.nonce());
            case NewKey key ->
                out.raw(key.nonce()).raw(key.life()).bytes(key.sealed()).bytes(key.signature());
            case KeyAccepted taken -> out.raw(taken.nonce());
        }
    }

    @Override
    public Message readBody(int type, WireReader in) {
        return switch (type - FIRST) {
            case 0 -> new AskNonce();
            case 1 -> new GiveNonce(in.raw(AgreementMessage.NONCE_BYTES));
            case 2 ->
                new NewKey(
                        in.raw(AgreementMessage.NONCE_BYTES),
                        in.raw(AgreementMessage.LIFE_BYTES),
                        in.bytes(KeyCipher.SEALED_BYTES_MAX),
                        in.bytes(Signing.SIGNATURE_BYTES_MAX));
            case 3 -> new KeyAccepted(in.raw(AgreementMessage.NONCE_BYTES));
            default -> throw new MalformedException("unknown type " + type);
        };
    }
}
