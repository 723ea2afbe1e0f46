package io.bulwark.simulation.exhaustive;

import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.fp.FpMessage;
import io.bulwark.protocol.fp.HeldVersion;
import io.bulwark.protocol.fp.Timestamp;
import io.bulwark.protocol.fp.Version;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Lies that faulty nodes of the FP register may choose for an answer, anew each time. */
public final class FpTinyLies {
    /** Nothing, or know of no write. */
    public static final List<ChoosingServer.Lie> KNOWS_NOTHING =
            List.of(ChoosingServer.TRUTH, FpTinyLies::knowsNothing);

    /** Prepares at a greater timestamp, too. */
    public static final List<ChoosingServer.Lie> ANSWERS_LATER =
            List.of(ChoosingServer.TRUTH, FpTinyLies::knowsNothing, FpTinyLies::answersLater);

    private FpTinyLies() {}

    private static List<Effect> knowsNothing(Effect effect) {
        return effect instanceof Effect.Send send && send.message() instanceof FpMessage.FoundTimestamp found
                ? instead(send, new FpMessage.FoundTimestamp(found.target(), Timestamp.NONE, null))
                : List.of(effect);
    }

    /** The first version instead of a later one. */
    static List<Effect> stale(Effect effect, Timestamp first) {
        return effect instanceof Effect.Send send
                        && send.message() instanceof FpMessage.FoundTimestamp found
                        && found.latest().isAfter(first)
                ? instead(send, new FpMessage.FoundTimestamp(found.target(), first, null))
                : List.of(effect);
    }

    private static List<Effect> answersLater(Effect effect) {
        if (effect instanceof Effect.Send send && send.message() instanceof FpMessage.Prepared prepared) {
            Version later =
                    new Version(prepared.version().ts() + 1, prepared.version().pin());
            return instead(send, new FpMessage.Prepared(prepared.target(), later, prepared.nonce(), prepared.macs()));
        }
        return List.of(effect);
    }

    /** Claims that the version is committed, by nonces of which only the liar's own is right. */
    static List<Effect> sworn(Effect effect, Timestamp version, int n) {
        return switch (effect) {
            case Effect.Send send
            when send.message() instanceof FpMessage.FoundTimestamp found
                    && !found.latest().isAfter(version) ->
                instead(
                        send,
                        new FpMessage.FoundTimestamp(
                                found.target(), version, holding(found.target().slot(), n, null)));
            case Effect.Send send
            when send.message() instanceof FpMessage.ReadAnswer read
                    && read.version().equals(version.version()) ->
                instead(
                        send,
                        new FpMessage.ReadAnswer(
                                read.target(),
                                read.version(),
                                version,
                                holding(read.target().slot(), n, read.holding())));
            default -> List.of(effect);
        };
    }

    private static HeldVersion holding(int self, int n, @Nullable HeldVersion real) {
        List<HeldVersion.SlotNonce> nonces = new ArrayList<>();
        for (int slot = 0; slot < n; slot++) {
            nonces.add(new HeldVersion.SlotNonce(slot, nonce(slot)));
        }
        Bytes fragment = real == null ? null : real.fragment();
        List<Bytes> cc = real == null ? null : real.cc();
        return new HeldVersion(fragment, cc, Hashes.sha256(nonce(self)), nonces, false);
    }

    private static Bytes nonce(int slot) {
        return Hashes.sha256(Bytes.of((byte) slot));
    }

    private static List<Effect> instead(Effect.Send send, FpMessage lie) {
        return List.of(new Effect.Send(send.to(), send.requestId(), lie));
    }
}
