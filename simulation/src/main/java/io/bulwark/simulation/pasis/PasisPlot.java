package io.bulwark.simulation.pasis;

import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.pasis.PasisGroup;
import io.bulwark.protocol.pasis.PasisMessage;
import io.bulwark.protocol.pasis.ValidatingTimestamp;
import io.bulwark.protocol.pasis.VersionName;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.simulation.byzantine.Collusion;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * Shared knowledge of the faulty nodes and clients, and for each block a version that all of them claim to hold,
 * verified.
 */
final class PasisPlot {
    private record SlotVersion(VersionName version, int slot) {}

    private final Collusion collusion;
    private final Random random;
    private final Map<BlockId, ValidatingTimestamp> sworn = new HashMap<>();
    private final Map<BlockId, List<ValidatingTimestamp>> seen = new HashMap<>();
    private final Map<SlotVersion, Bytes> fragments = new HashMap<>();

    PasisPlot(Collusion collusion, Random random) {
        this.collusion = collusion;
        this.random = random;
    }

    Collusion collusion() {
        return collusion;
    }

    Random random() {
        return random;
    }

    /** A faulty party has this fragment. */
    void learn(BlockId block, ValidatingTimestamp version, int slot, Bytes fragment) {
        List<ValidatingTimestamp> of = seen.computeIfAbsent(block, _ -> new ArrayList<>());
        if (!of.contains(version)) {
            of.add(version);
        }
        fragments.put(new SlotVersion(version.name(), slot), fragment);
        if (random.nextInt(8) == 0) {
            sworn.put(block, version);
        }
    }

    /** All are to swear this. */
    void swear(BlockId block, ValidatingTimestamp version) {
        if (!version.isNone()) {
            sworn.put(block, version);
        }
    }

    ValidatingTimestamp sworn(BlockId block) {
        return sworn.getOrDefault(block, ValidatingTimestamp.NONE);
    }

    @Nullable
    Bytes fragment(VersionName version, int slot) {
        return fragments.get(new SlotVersion(version, slot));
    }

    /** A version of the block that somebody once meant to write; NONE if nothing is known. */
    ValidatingTimestamp anyVersion(BlockId block) {
        List<ValidatingTimestamp> of = seen.getOrDefault(block, List.of());
        return of.isEmpty() ? ValidatingTimestamp.NONE : of.get(random.nextInt(of.size()));
    }

    /** The greatest logical time that the faulty have seen. */
    long lastTime(BlockId block) {
        return seen.getOrDefault(block, List.of()).stream()
                .mapToLong(ValidatingTimestamp::time)
                .filter(time -> time > 0 && time < 1L << 40)
                .max()
                .orElse(0);
    }

    /** A timestamp near, or far from, a real one, that nobody wrote. */
    ValidatingTimestamp falseTimestamp(PasisGroup group) {
        ValidatingTimestamp real = anyVersion(group.block());
        int n = group.hashes();
        Bytes hashes = real.isNone() || random.nextInt(3) != 0 ? bytes(n * Hashes.LENGTH) : real.crossChecksum();
        long time = wildTime(real.time());
        return new ValidatingTimestamp(time == 0 ? 1 : time, PrincipalId.client(random.nextInt(12)), hashes);
    }

    long wildTime(long real) {
        return switch (random.nextInt(8)) {
            case 0 -> -1;
            case 1 -> Long.MAX_VALUE;
            case 2 -> Long.MIN_VALUE;
            case 3 -> real + (1L << 16) + random.nextInt(3) - 1;
            case 4 -> real + (1L << 15) + random.nextInt(3) - 1;
            case 5 -> real;
            case 6 -> 1;
            default -> real + 1 + random.nextInt(3);
        };
    }

    /** A unit of a history that shows these versions as verified. */
    PasisMessage.History history(PasisMessage.Read asked, ValidatingTimestamp version, boolean collects) {
        boolean shown =
                !version.isNone() && (asked.before().isNone() || asked.before().isAfter(version));
        List<PasisMessage.Entry> entries = shown ? List.of(new PasisMessage.Entry(version, true)) : List.of();
        Bytes fragment = shown && asked.withFragment()
                ? fragment(version.name(), asked.target().slot())
                : null;
        return new PasisMessage.History(
                asked.target(),
                asked.before(),
                entries,
                false,
                collects ? version : ValidatingTimestamp.NONE,
                fragment);
    }

    Bytes bytes(int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return Bytes.of(bytes);
    }
}
