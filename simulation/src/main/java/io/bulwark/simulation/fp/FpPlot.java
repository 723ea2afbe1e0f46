package io.bulwark.simulation.fp;

import io.bulwark.protocol.fingerprint.Fpcc;
import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.fp.FpMessage;
import io.bulwark.protocol.fp.HeldVersion;
import io.bulwark.protocol.fp.Timestamp;
import io.bulwark.protocol.fp.Version;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.WireWriter;
import io.bulwark.simulation.byzantine.Collusion;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** Plan of the faulty nodes and clients: for each block, a version that all of them claim is committed. */
final class FpPlot {
    private record SlotPin(int slot, Bytes pin) {}

    private final Collusion collusion;
    private final Random random;
    private final Map<BlockId, Timestamp> sworn = new HashMap<>();
    private final Map<BlockId, List<Timestamp>> seen = new HashMap<>();
    private final Map<SlotPin, Bytes> fragments = new HashMap<>();

    FpPlot(Collusion collusion, Random random) {
        this.collusion = collusion;
        this.random = random;
    }

    Collusion collusion() {
        return collusion;
    }

    Random random() {
        return random;
    }

    /** A faulty node was asked to prepare this. */
    void learn(FpMessage.Prepare prepare, long ts) {
        BlockId block = prepare.target().block();
        Timestamp version = new Timestamp(ts, prepare.fpcc());
        List<Timestamp> of = seen.computeIfAbsent(block, _ -> new ArrayList<>());
        if (!of.contains(version)) {
            of.add(version);
        }
        if (prepare instanceof FpMessage.PrepareFragment whole) {
            fragments.put(new SlotPin(prepare.target().slot(), prepare.fpcc().pin()), whole.fragment());
        }
        if (random.nextInt(8) == 0) {
            sworn.put(block, version);
        }
    }

    /** All are to swear this. */
    void swear(BlockId block, Timestamp version) {
        sworn.put(block, version);
    }

    @Nullable
    Timestamp sworn(BlockId block) {
        return sworn.get(block);
    }

    /** A version of the block that somebody once meant to write; (0, none) if nothing is known. */
    Timestamp anyVersion(BlockId block) {
        List<Timestamp> of = seen.getOrDefault(block, List.of());
        return of.isEmpty() ? Timestamp.NONE : of.get(random.nextInt(of.size()));
    }

    @Nullable
    Timestamp named(BlockId block, Version version) {
        for (Timestamp known : seen.getOrDefault(block, List.of())) {
            if (known.version().equals(version)) {
                return known;
            }
        }
        return null;
    }

    /** A timestamp near, or far from, a real one, that nobody wrote. */
    Timestamp falseTimestamp(BlockId block) {
        Timestamp real = anyVersion(block);
        if (real.isNone()) {
            return real;
        }
        Fpcc fpcc = real.written();
        if (random.nextInt(3) != 0) {
            List<Bytes> cc = new ArrayList<>(fpcc.cc());
            cc.set(random.nextInt(cc.size()), bytes(Hashes.LENGTH));
            fpcc = Fpcc.of(fpcc.length(), cc, fpcc.fp());
        }
        long ts = switch (random.nextInt(7)) {
            case 0 -> -1;
            case 1 -> Long.MAX_VALUE;
            case 2 -> Long.MIN_VALUE;
            case 3 -> real.ts() + (1L << 16) + random.nextInt(3) - 1;
            case 4 -> real.ts();
            case 5 -> 1;
            default -> real.ts() + 1 + random.nextInt(3);
        };
        return ts == 0 ? real : new Timestamp(ts, fpcc);
    }

    /**
     * Returns the evidence that the node at a slot shows of a version. It has nonces that all faulty parties know, and
     * the node's fragment if there is one.
     */
    HeldVersion holding(int slot, int n, Timestamp version) {
        List<HeldVersion.SlotNonce> nonces = new ArrayList<>();
        for (int other = 0; other < n; other++) {
            nonces.add(new HeldVersion.SlotNonce(other, nonce(other, version)));
        }
        Bytes fragment = fragments.get(new SlotPin(slot, version.written().pin()));
        return new HeldVersion(fragment, null, Hashes.sha256(nonce(slot, version)), nonces, false);
    }

    Bytes nonce(int slot, Timestamp version) {
        WireWriter out = new WireWriter(64).u8(slot);
        version.version().write(out);
        return Hashes.sha256(out.toBytes());
    }

    Bytes bytes(int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return Bytes.of(bytes);
    }
}
