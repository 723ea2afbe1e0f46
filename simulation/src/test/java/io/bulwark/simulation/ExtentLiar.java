package io.bulwark.simulation;

import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.effect.ProtocolServer;
import io.bulwark.protocol.extent.ExtentMessage;
import io.bulwark.protocol.extent.ExtentMessage.Acknowledged;
import io.bulwark.protocol.extent.ExtentMessage.Found;
import io.bulwark.protocol.extent.ExtentMessage.Holds;
import io.bulwark.protocol.extent.ExtentMessage.NotFound;
import io.bulwark.protocol.extent.ExtentMessage.NotStored;
import io.bulwark.protocol.extent.ReadRefusal;
import io.bulwark.protocol.extent.StoreRefusal;
import io.bulwark.protocol.fingerprint.Checksum;
import io.bulwark.protocol.fingerprint.Fpcc;
import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.simulation.engine.AlteringServer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;

/** A node that keeps extents as it should and lies about them. */
@NullMarked
final class ExtentLiar extends AlteringServer {
    enum Alteration {
        SILENT,
        FLIPS,
        /** Other bytes, with a cross-checksum made for them. */
        SWAPS,
        /** The last other block's answer, fpcc and all. */
        REPLAYS,
        GARBLES,
        CLAIMS_NONE,
        CLAIMS_OTHER,
        CLAIMS_FREED,
        /** Says OK and stores nothing. */
        FORGETS,
        REFUSES,
        /** Another one each time. */
        ANY
    }

    private final Alteration how;
    private final Random random;
    private @Nullable Found last;

    ExtentLiar(ProtocolServer correct, Alteration how, long seed) {
        super(correct);
        this.how = how;
        this.random = new Random(seed);
    }

    @Override
    protected List<Effect> alter(long nowMillis, Effect effect) {
        Alteration now =
                how == Alteration.ANY ? Alteration.values()[random.nextInt(Alteration.values().length - 1)] : how;
        if (!(effect instanceof Effect.Send send) || !(send.message() instanceof ExtentMessage.Answer answer)) {
            return List.of(effect);
        }
        ExtentMessage lie = switch (answer) {
            case Found found -> lie(now, found);
            case Acknowledged ok
            when now == Alteration.REFUSES -> new NotStored(ok.block(), ok.epoch(), StoreRefusal.OTHER_CONTENT);
            case NotStored no when now == Alteration.FORGETS -> new Acknowledged(no.block(), no.epoch());
            case NotFound no when now == Alteration.FORGETS -> new Holds(no.block(), no.epoch());
            default -> answer;
        };
        return now == Alteration.SILENT ? List.of() : List.of(new Effect.Send(send.to(), send.requestId(), lie));
    }

    private ExtentMessage lie(Alteration now, Found found) {
        Found before = last;
        if (before == null || !before.block().equals(found.block())) {
            last = found;
        }
        Bytes fragment = found.fragment();
        byte[] other = fragment.toByteArray();
        other[random.nextInt(other.length)] ^= (byte) (1 + random.nextInt(255));
        return switch (now) {
            case FLIPS -> with(found, Bytes.of(other));
            case SWAPS ->
                new Found(
                        found.block(), found.epoch(), forged(found.checksum(), Bytes.of(other)), Bytes.of(other), true);
            case REPLAYS ->
                before == null ? found : new Found(found.block(), 1, before.checksum(), before.fragment(), true);
            case GARBLES -> new Found(found.block(), 1 + random.nextInt(3), garbled(), fragment, true);
            case CLAIMS_NONE -> new NotFound(found.block(), 1, ReadRefusal.NONE);
            case CLAIMS_OTHER -> new NotFound(found.block(), 1, ReadRefusal.OTHER_VERSION);
            case CLAIMS_FREED -> new NotFound(found.block(), 1, ReadRefusal.FREED);
            case SILENT, FORGETS, REFUSES, ANY -> found;
        };
    }

    private static Found with(Found found, Bytes fragment) {
        return new Found(found.block(), found.epoch(), found.checksum(), fragment, true);
    }

    /** Has the fragment's hash at every slot. */
    private static Fpcc forged(Checksum checksum, Bytes fragment) {
        Fpcc fpcc = (Fpcc) checksum;
        return Fpcc.of(fpcc.length(), Collections.nCopies(fpcc.cc().size(), Hashes.sha256(fragment)), fpcc.fp());
    }

    private Fpcc garbled() {
        byte[] hash = new byte[32];
        random.nextBytes(hash);
        Bytes print = Bytes.of(hash, 0, 16);
        int m = 1 + random.nextInt(4);
        List<Bytes> cc = new ArrayList<>();
        List<Bytes> fp = new ArrayList<>();
        for (int i = 0; i < m; i++) {
            cc.add(Bytes.of(hash));
            fp.add(print);
        }
        return Fpcc.of(random.nextInt(1 << 28), cc, fp);
    }
}
