package io.bulwark.simulation;

import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.effect.ProtocolServer;
import io.bulwark.protocol.fingerprint.Fpcc;
import io.bulwark.protocol.fp.FpMessage;
import io.bulwark.protocol.fp.FpRefusal;
import io.bulwark.protocol.fp.HeldVersion;
import io.bulwark.protocol.fp.RequestKind;
import io.bulwark.protocol.fp.Timestamp;
import io.bulwark.protocol.fp.Version;
import io.bulwark.protocol.kernel.Target;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.simulation.engine.AlteringServer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;

/** A node that answers requests of registers with lies, a different one each time, or always of one kind. */
@NullMarked
final class LyingFpServer extends AlteringServer {
    /** Fault applied to an answer. */
    enum Lie {
        NONE,
        SILENT,
        STALE,
        FUTURE,
        GARBLED,
        BAD_MACS,
        REFUSING,
        PRETENDING
    }

    private final Random random;
    private final @Nullable Lie always;

    LyingFpServer(ProtocolServer correct, long seed, @Nullable Lie always) {
        super(correct);
        this.random = new Random(seed);
        this.always = always;
    }

    @Override
    protected List<Effect> alter(long nowMillis, Effect effect) {
        if (!(effect instanceof Effect.Send send) || !(send.message() instanceof FpMessage.Answer answer)) {
            return List.of(effect);
        }
        Lie lie = always == null ? Lie.values()[random.nextInt(Lie.values().length)] : always;
        if (lie == Lie.SILENT) {
            return List.of();
        }
        return List.of(new Effect.Send(send.to(), send.requestId(), alter(lie, answer)));
    }

    private FpMessage alter(Lie lie, FpMessage.Answer answer) {
        return switch (answer) {
            case FpMessage.Prepared prepared -> prepared(lie, prepared);
            case FpMessage.FoundTimestamp found ->
                switch (lie) {
                    case STALE -> new FpMessage.FoundTimestamp(found.target(), Timestamp.NONE, null);
                    case FUTURE ->
                        new FpMessage.FoundTimestamp(found.target(), future(found.latest()), garbled(found.holding()));
                    case GARBLED ->
                        new FpMessage.FoundTimestamp(found.target(), found.latest(), garbled(found.holding()));
                    default -> found;
                };
            case FpMessage.ReadAnswer read ->
                switch (lie) {
                    case STALE -> new FpMessage.ReadAnswer(read.target(), read.version(), Timestamp.NONE, null);
                    case FUTURE -> new FpMessage.ReadAnswer(read.target(), read.version(), future(read.latest()), null);
                    case GARBLED ->
                        new FpMessage.ReadAnswer(read.target(), read.version(), read.latest(), garbled(read.holding()));
                    default -> read;
                };
            case FpMessage.Refused refused ->
                lie == Lie.PRETENDING && refused.ts() != 0
                        ? new FpMessage.Committed(refused.target(), new Version(refused.ts(), random(32)))
                        : refused;
            case FpMessage.RepairMac mac ->
                lie == Lie.BAD_MACS
                        ? new FpMessage.RepairMac(mac.target(), mac.version(), mac.nonce(), random(16))
                        : mac;
            case FpMessage.RepairAnswer repaired ->
                lie == Lie.FUTURE ? new FpMessage.RepairAnswer(repaired.target(), future(repaired.latest())) : repaired;
            case FpMessage.Committed committed ->
                lie == Lie.REFUSING
                        ? refusal(committed.target(), committed.version().ts())
                        : committed;
            case FpMessage.Proven proven -> proven;
            case FpMessage.Leftover leftover -> leftover;
        };
    }

    private FpMessage prepared(Lie lie, FpMessage.Prepared prepared) {
        Version version = prepared.version();
        return switch (lie) {
            case FUTURE ->
                new FpMessage.Prepared(
                        prepared.target(),
                        new Version(version.ts() + 1 + random.nextInt(1 << 20), version.pin()),
                        prepared.nonce(),
                        prepared.macs());
            case BAD_MACS -> {
                List<Bytes> macs = new ArrayList<>(prepared.macs());
                macs.replaceAll(mac -> random.nextBoolean() ? random(16) : mac);
                yield new FpMessage.Prepared(prepared.target(), version, prepared.nonce(), macs);
            }
            case REFUSING ->
                new FpMessage.Refused(
                        prepared.target(),
                        RequestKind.PREPARE,
                        0,
                        FpRefusal.values()[random.nextInt(FpRefusal.values().length)],
                        1 + random.nextInt(3));
            default -> prepared;
        };
    }

    private FpMessage refusal(Target target, long ts) {
        return new FpMessage.Refused(target, RequestKind.COMMIT, ts, FpRefusal.PREPARES, 1);
    }

    private Timestamp future(Timestamp latest) {
        if (latest.isNone()) {
            return latest;
        }
        Fpcc known = latest.written();
        List<Bytes> cc = new ArrayList<>(known.cc());
        cc.set(0, random(32));
        return new Timestamp(latest.ts() + random.nextInt(4), Fpcc.of(known.length(), cc, known.fp()));
    }

    private @Nullable HeldVersion garbled(@Nullable HeldVersion holding) {
        if (holding == null) {
            return null;
        }
        Bytes fragment = holding.fragment();
        if (fragment == null) {
            return holding;
        }
        byte[] bytes = fragment.toByteArray();
        bytes[random.nextInt(bytes.length)] ^= (byte) (1 + random.nextInt(255));
        return new HeldVersion(Bytes.of(bytes), holding.cc(), holding.nonceHash(), holding.nonces(), false);
    }

    private Bytes random(int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return Bytes.of(bytes);
    }
}
