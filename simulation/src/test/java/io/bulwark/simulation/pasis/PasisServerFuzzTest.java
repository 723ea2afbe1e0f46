package io.bulwark.simulation.pasis;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.Runs;
import io.bulwark.protocol.cluster.Verification;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.effect.Verdict;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.kernel.Target;
import io.bulwark.protocol.pasis.PasisGroup;
import io.bulwark.protocol.pasis.PasisLimits;
import io.bulwark.protocol.pasis.PasisMessage;
import io.bulwark.protocol.pasis.PasisReadOutcome;
import io.bulwark.protocol.pasis.PasisRefusal;
import io.bulwark.protocol.pasis.RequestKind;
import io.bulwark.protocol.pasis.ValidatingTimestamp;
import io.bulwark.protocol.pasis.VersionName;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Hostile messages of every kind to nodes, about blocks that exist and that do not. Senders are clients, one node of
 * the group, other nodes, and replicas. Nobody throws, no bound is exceeded, no correct party is accused, and registers
 * still work.
 */
@NullMarked
class PasisServerFuzzTest {
    private static final int ROUNDS = Runs.of(30);
    private static final int MESSAGES = 400;
    private static final int BLOCKS = 3;
    private static final int PER_BLOCK = 3;
    /** Three clients' shares, and what a node repairs. */
    private static final long POOL_BYTES = (3 * 6 + BLOCKS * (PER_BLOCK + 5)) * PasisLimits.charge(256);

    private static final PrincipalId FAULTY_NODE = PrincipalId.node(0);
    private static final PasisLimits LIMITS = new PasisLimits(
            PER_BLOCK, 6, 6 * PasisLimits.charge(256), POOL_BYTES, true, 50, 2, 1, 16, 10_000, 200, 1_000);
    private static final Verification[] POLICIES = {Verification.LAZY, Verification.READ_TIME, Verification.WRITE_TIME};

    private Random random = new Random();
    private final List<ValidatingTimestamp> seen = new ArrayList<>();

    @Test
    void hostileMessagesOfEveryKindHarmNobody() {
        long first = Long.getLong("bulwark.seed", System.nanoTime());
        System.out.println("PasisServerFuzzTest bulwark.seed=" + first);
        for (long seed = first; seed < first + ROUNDS; seed++) {
            random = new Random(seed);
            seen.clear();
            round("seed " + seed);
        }
    }

    private void round(String name) {
        PasisCluster cluster = new PasisCluster(1, 2, 5, POLICIES[random.nextInt(POLICIES.length)], LIMITS);
        cluster.clients = 3;
        for (int block = 0; block < BLOCKS; block++) {
            seen.add(cluster.write(1, block));
        }
        for (int i = 0; i < MESSAGES; i++) {
            PasisGroup group = cluster.group(random.nextInt(BLOCKS));
            cluster.simulation.send(
                    sender(), PrincipalId.node(1 + random.nextInt(4)), random.nextLong() >>> 1, message(group));
            if (random.nextInt(8) == 0) {
                cluster.simulation.runFor(random.nextInt(300));
            }
            if (random.nextInt(20) == 0) {
                cluster.verify(group.block().counter(), 1 + random.nextInt(4));
            }
        }
        cluster.simulation.runFor(3_000);
        for (int node = 1; node < 5; node++) {
            assertThat(cluster.counters(node).poolBytes())
                    .as("%s: node %d", name, node)
                    .isLessThanOrEqualTo(POOL_BYTES);
            for (int block = 0; block < BLOCKS; block++) {
                assertThat(cluster.held(node, block))
                        .as("%s: three clients' bound, what readers and peers had repaired, and the verified one", name)
                        .isLessThanOrEqualTo(4 * PER_BLOCK + 5 + 1);
            }
        }
        assertThat(cluster.simulation.sightings())
                .as(name)
                .extracting(sighting -> sighting.evidence())
                .filteredOn(
                        evidence -> evidence.verdict() == Verdict.MISBEHAVED || evidence.verdict() == Verdict.CORRUPT)
                .extracting(Effect.Evidence::about)
                .allMatch(about -> about.equals(FAULTY_NODE) || about.number() >= 20);
        for (int block = 0; block < BLOCKS; block++) {
            ValidatingTimestamp written = cluster.write(1, block);
            assertThat(written.isNone())
                    .as("%s: a write to block %d", name, block)
                    .isFalse();
            assertThat(cluster.read(block))
                    .as("%s: block %d", name, block)
                    .isInstanceOfSatisfying(
                            PasisReadOutcome.Value.class,
                            value -> assertThat(value.timestamp()).isEqualTo(written));
        }
    }

    private PrincipalId sender() {
        return switch (random.nextInt(6)) {
            case 0 -> FAULTY_NODE;
            case 1 -> PrincipalId.node(70 + random.nextInt(9));
            case 2 -> PrincipalId.replica(20);
            default -> PrincipalId.client(20 + random.nextInt(2));
        };
    }

    private PasisMessage message(PasisGroup group) {
        Target target = target(group);
        return switch (random.nextInt(12)) {
            case 0 -> new PasisMessage.FindTime(target);
            case 1 -> new PasisMessage.Read(target, version(), random.nextBoolean(), awaited());
            case 2 -> new PasisMessage.ReadFragment(target, name());
            case 3 -> new PasisMessage.Repair(target, written());
            case 4, 5 -> new PasisMessage.Notify(target, written(), random.nextBoolean());
            case 6 -> new PasisMessage.Write(target, session(), written(), bytes(random.nextInt(600)));
            case 7, 8, 9 -> write(group, target);
            default -> answer(target);
        };
    }

    /** A fragment that has its hash, of a block or of nothing. */
    private PasisMessage.Write write(PasisGroup group, Target target) {
        List<Bytes> fragments = new ArrayList<>();
        if (random.nextBoolean()) {
            fragments.addAll(group.encode(group.padded(bytes(group.policy().blockBytes()))));
        } else {
            for (int slot = 0; slot < 5; slot++) {
                fragments.add(bytes(random.nextInt(4) == 0 ? random.nextInt(600) : group.fragmentBytes()));
            }
        }
        ValidatingTimestamp version = ValidatingTimestamp.of(time(), named(), fragments);
        seen.add(version);
        return new PasisMessage.Write(target, session(), version, fragments.get(target.slot() % 5));
    }

    private PasisMessage answer(Target target) {
        return switch (random.nextInt(6)) {
            case 0 -> new PasisMessage.FoundTime(target, random.nextLong());
            case 1 -> new PasisMessage.Written(target, name());
            case 2 ->
                new PasisMessage.History(
                        target,
                        ValidatingTimestamp.NONE,
                        List.of(new PasisMessage.Entry(written(), true)),
                        random.nextBoolean(),
                        version(),
                        bytes(256));
            case 3 -> new PasisMessage.Fragment(target, name(), PasisMessage.Held.HELD, bytes(256), version());
            case 4 -> new PasisMessage.Repaired(target, name());
            default -> {
                PasisRefusal[] refusals = PasisRefusal.values();
                yield new PasisMessage.Refused(
                        target, RequestKind.READ, null, refusals[random.nextInt(refusals.length)], random.nextInt(3));
            }
        };
    }

    private Target target(PasisGroup group) {
        int slot = random.nextInt(8) == 0 ? random.nextInt(255) : 1 + random.nextInt(4);
        return switch (random.nextInt(10)) {
            case 0 -> new Target(group.block(), 1 + (random.nextLong() >>> 1) % Long.MAX_VALUE, slot);
            case 1 -> new Target(BlockId.register(random.nextInt(9), random.nextLong() >>> 1), 1, slot);
            case 2 -> new Target(new BlockId(6, PrincipalId.client(20), 1, 0), 1, slot);
            default -> new Target(group.block(), 1, slot);
        };
    }

    private @Nullable VersionName awaited() {
        return random.nextBoolean() ? name() : null;
    }

    private VersionName name() {
        return random.nextBoolean() ? written().name() : new VersionName(random.nextLong() | 1, bytes(32));
    }

    private ValidatingTimestamp version() {
        return random.nextInt(4) == 0 ? ValidatingTimestamp.NONE : written();
    }

    private ValidatingTimestamp written() {
        if (random.nextBoolean()) {
            return seen.get(random.nextInt(seen.size()));
        }
        int[] hashes = {1, 4, 5, 5, 5, 6, 64};
        return new ValidatingTimestamp(time(), named(), bytes(32 * hashes[random.nextInt(hashes.length)]));
    }

    private long time() {
        return switch (random.nextInt(6)) {
            case 0 -> -1;
            case 1 -> Long.MIN_VALUE;
            case 2 -> 1L << 16;
            default -> 1 + random.nextInt(6);
        };
    }

    /** Anybody. */
    private PrincipalId named() {
        return random.nextBoolean() ? PrincipalId.client(1) : PrincipalId.client(20 + random.nextInt(2));
    }

    private long session() {
        return random.nextInt(3);
    }

    private Bytes bytes(int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return Bytes.of(bytes);
    }
}
