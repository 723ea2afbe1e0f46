package io.bulwark.protocol.agreement;

import io.bulwark.protocol.agreement.AgreementMessage.AskNonce;
import io.bulwark.protocol.agreement.AgreementMessage.GiveNonce;
import io.bulwark.protocol.agreement.AgreementMessage.KeyAccepted;
import io.bulwark.protocol.agreement.AgreementMessage.NewKey;
import io.bulwark.protocol.effect.ClientOperation;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.Message;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** One NEW-KEY: asks the peer for its nonce, signs over that, and repeats itself until the peer has taken the key, for a while. */
final class KeyOffer implements ClientOperation<Boolean> {
    /** A peer that changes its nonce more often than this within one offer is wasting signatures. */
    static final int SIGNATURES_MAX = 4;

    private static final int TRIES = 8;

    /** Signs a NEW-KEY over a nonce. */
    interface Signer {
        NewKey sign(Bytes nonce);
    }

    private final PrincipalId peer;
    private final long retryMillis;
    private final Signer signer;
    private Message said = new AskNonce();
    private @Nullable Bytes nonce;
    private int signatures;
    private int tries = 1;
    private long sentMillis;
    private @Nullable Boolean outcome;

    KeyOffer(PrincipalId peer, long retryMillis, Signer signer) {
        this.peer = peer;
        this.retryMillis = retryMillis;
        this.signer = signer;
    }

    @Override
    public List<Effect> start(long nowMillis) {
        return say(nowMillis);
    }

    private List<Effect> say(long nowMillis) {
        sentMillis = nowMillis;
        return List.of(new Effect.Send(peer, 0, said));
    }

    @Override
    public List<Effect> onMessage(long nowMillis, PrincipalId from, Message message) {
        if (outcome != null || !from.equals(peer)) {
            return List.of();
        }
        return switch (message) {
            case GiveNonce give
            when !Objects.equals(give.nonce(), nonce) && signatures < SIGNATURES_MAX -> {
                signatures++;
                nonce = give.nonce();
                said = signer.sign(give.nonce());
                yield say(nowMillis);
            }
            case KeyAccepted taken
            when Objects.equals(taken.nonce(), nonce) -> {
                outcome = true;
                yield List.of();
            }
            default -> List.of();
        };
    }

    @Override
    public List<Effect> onTick(long nowMillis) {
        if (outcome != null || nowMillis - sentMillis < retryMillis) {
            return List.of();
        }
        if (tries == TRIES) {
            outcome = false;
            return List.of();
        }
        tries++;
        return say(nowMillis);
    }

    /** Returns whether the peer has taken the key. */
    @Override
    public Optional<Boolean> outcome() {
        return Optional.ofNullable(outcome);
    }
}
