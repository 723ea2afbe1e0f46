package io.bulwark.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.effect.ProtocolServer;
import io.bulwark.protocol.fingerprint.Fpcc;
import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.fp.FpLimits;
import io.bulwark.protocol.fp.FpMessage;
import io.bulwark.protocol.fp.FpReadOutcome;
import io.bulwark.protocol.fp.FpWrite;
import io.bulwark.protocol.fp.FpWriteOutcome;
import io.bulwark.protocol.fp.HeldVersion;
import io.bulwark.protocol.fp.Timestamp;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.kernel.Target;
import io.bulwark.protocol.mac.PairwiseKeys;
import io.bulwark.protocol.mutation.PlantedBug;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.Message;
import io.bulwark.simulation.byzantine.StoppingOperation;
import io.bulwark.simulation.engine.AlteringServer;
import io.bulwark.simulation.engine.NetworkFaults;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Forgeries aimed at one rule each: READ asks for a proof of more than f nodes, and COMMIT takes only MACs made for this
 * writer, node, block and timestamp.
 */
@NullMarked
class FpForgeryTest {
    private static final long SEED = Long.getLong("bulwark.seed", 1);
    private static final PrincipalId ALICE = PrincipalId.client(1);
    private static final PrincipalId BOB = PrincipalId.client(2);
    private static final PrincipalId MALLORY = PrincipalId.client(3);
    private static final long NO_OPERATION = 1L << 40;
    private static final int BLOCK = 3;

    private final Random random = new Random(SEED);
    /** The commits that Alice was about to send, by node. */
    private final Map<Integer, FpMessage.Commit> commits = new TreeMap<>();

    private final Plot plot = new Plot();

    /**
     * Alice dies between PREPARE and COMMIT. The fragments that she left are good, and f nodes swear that they have
     * committed them: nobody may complete that write.
     */
    @PlantedBug(
            inClass = "io.bulwark.protocol.fp.ReadAttempt",
            rule = "a version is read only with a proof",
            replace = "return provenByPeers || committed() || preimages().size() > group.f();",
            with = "return true;")
    @PlantedBug(
            inClass = "io.bulwark.protocol.fp.ReadAttempt",
            rule = "more than f reports prove a version",
            replace = "return provenByPeers ||",
            with = "return reporters.size() >= group.f() ||")
    @PlantedBug(
            inClass = "io.bulwark.protocol.fp.ReadAttempt",
            rule = "more than f nonces prove a version",
            replace = "preimages().size() > group.f()",
            with = "preimages().size() >= group.f()")
    @PlantedBug(
            inClass = "io.bulwark.protocol.fp.ReadAttempt",
            rule = "a reader checks nonces against the version",
            replace = "&& Hashes.sha256(nonce.nonce()).equals(hash)",
            with = "")
    @PlantedBug(
            inClass = "io.bulwark.protocol.fp.ReadAttempt",
            rule = "a nonce counts once, however often it is told",
            replace = "private Set<Integer> preimages() { Set<Integer> slots = new TreeSet<>();",
            with = "private java.util.Collection<Integer> preimages() { java.util.List<Integer> "
                    + "slots = new java.util.ArrayList<>() { private static final long "
                    + "serialVersionUID = 1L; @Override public boolean contains(Object o) { return "
                    + "false; } };")
    @ParameterizedTest
    @CsvSource({"1,2", "1,3", "2,3"})
    void whatFNodesAloneClaimToHaveCommittedIsNeverReadNorCompleted(int f, int m) {
        FpCluster cluster = cluster(f, m, true);
        Bytes old = written(cluster, cluster.value());
        stopBeforeCommit(cluster);
        assertThat(plot.version).isNotNull();
        plot.sworn = true;
        for (int round = 0; round < 3; round++) {
            assertThat(value(cluster, 0)).as("bulwark.seed=%d", SEED).isEqualTo(old);
            assertThat(value(cluster, 12)).as("bulwark.seed=%d", SEED).isEqualTo(old);
        }
        Bytes later = written(cluster, cluster.value());
        assertThat(value(cluster, 0)).isEqualTo(later);
    }

    @PlantedBug(
            inClass = "io.bulwark.protocol.fp.FpRegister",
            rule = "a node checks the MACs of a COMMIT",
            replace = "return node.keys().verify(group.node(prepareMac.slot()), input, prepareMac.mac());",
            with = "return !input.isEmpty();")
    @ParameterizedTest
    @CsvSource({"1,2", "1,3", "2,3"})
    void aCommitNeedsMacsOfThisWriterNodeBlockAndTimestamp(int f, int m) {
        FpCluster cluster = cluster(f, m, false);
        Bytes old = written(cluster, cluster.value());
        Bytes left = stopBeforeCommit(cluster);
        assertThat(commits).hasSizeGreaterThanOrEqualTo(m + f);

        commits.forEach((node, real) -> send(cluster, MALLORY, node, made(cluster, real)));
        unchanged(cluster, old, "invented MACs");
        commits.forEach((node, real) -> send(cluster, MALLORY, node, real));
        unchanged(cluster, old, "another writer's MACs");
        commits.forEach((node, real) -> commits.forEach((other, _) -> {
            if (!node.equals(other)) {
                send(cluster, ALICE, other, aimed(real, real.target().block(), other, real.ts()));
            }
        }));
        unchanged(cluster, old, "MACs for another node");
        commits.forEach((node, real) ->
                send(cluster, ALICE, node, aimed(real, real.target().block(), node, real.ts() + 1)));
        unchanged(cluster, old, "MACs of another timestamp");
        commits.forEach((node, real) ->
                send(cluster, ALICE, node, aimed(real, cluster.group(4).block(), node, real.ts())));
        assertThat(cluster.await(cluster.read(BOB, 0, 4)))
                .as("MACs of another block")
                .isInstanceOf(FpReadOutcome.NeverWritten.class);
        commits.forEach((node, real) -> send(cluster, ALICE, node, repeated(real)));
        unchanged(cluster, old, "one MAC many times over");

        // Where they belong they are good: the attacks above failed for the reason that they name.
        commits.forEach((node, real) -> send(cluster, ALICE, node, real));
        assertThat(value(cluster, 0)).isEqualTo(left);
        Bytes later = written(cluster, cluster.value());
        commits.forEach((node, real) -> send(cluster, ALICE, node, real));
        unchanged(cluster, later, "an old commit sent again");
    }

    /** False answers that f nodes agree on. */
    private static final class Plot {
        @Nullable
        Timestamp version;

        boolean sworn;

        static Bytes nonce(int slot) {
            return Hashes.sha256(Bytes.of((byte) slot));
        }

        HeldVersion holding(int slot, int n, @Nullable HeldVersion real) {
            List<HeldVersion.SlotNonce> nonces = new ArrayList<>();
            for (int other = 0; other < n; other++) {
                nonces.add(new HeldVersion.SlotNonce(other, nonce(other)));
            }
            return new HeldVersion(
                    real == null ? null : real.fragment(),
                    real == null ? null : real.cc(),
                    Hashes.sha256(nonce(slot)),
                    nonces,
                    false);
        }
    }

    /** Swears that its prepared versions are committed, with a proof that only the liars support. */
    private static final class PerjuredServer extends AlteringServer {
        private final Plot plot;
        private final int n;
        private final Map<Bytes, Fpcc> prepared = new HashMap<>();

        PerjuredServer(ProtocolServer correct, Plot plot, int n) {
            super(correct);
            this.plot = plot;
            this.n = n;
        }

        @Override
        public List<Effect> onMessage(long nowMillis, PrincipalId from, long requestId, Message message) {
            if (message instanceof FpMessage.Prepare prepare) {
                prepared.put(prepare.fpcc().pin(), prepare.fpcc());
            }
            return super.onMessage(nowMillis, from, requestId, message);
        }

        @Override
        protected List<Effect> alter(long nowMillis, Effect effect) {
            if (!(effect instanceof Effect.Send send)) {
                return List.of(effect);
            }
            if (!plot.sworn && send.message() instanceof FpMessage.Prepared answer) {
                plot.version = new Timestamp(
                        answer.version().ts(), prepared.get(answer.version().pin()));
            }
            Timestamp sworn = plot.version;
            if (!plot.sworn || sworn == null) {
                return List.of(effect);
            }
            Message lie = switch (send.message()) {
                case FpMessage.FoundTimestamp found
                when !found.latest().isAfter(sworn) ->
                    new FpMessage.FoundTimestamp(
                            found.target(), sworn, plot.holding(found.target().slot(), n, null));
                case FpMessage.ReadAnswer read
                when read.version().equals(sworn.version()) ->
                    new FpMessage.ReadAnswer(
                            read.target(),
                            read.version(),
                            sworn,
                            plot.holding(read.target().slot(), n, read.holding()));
                default -> send.message();
            };
            return List.of(new Effect.Send(send.to(), send.requestId(), lie));
        }
    }

    private FpCluster cluster(int f, int m, boolean perjured) {
        Map<Integer, UnaryOperator<ProtocolServer>> liars = new HashMap<>();
        for (int node = 0; perjured && node < f; node++) {
            liars.put(node, server -> new PerjuredServer(server, plot, m + 2 * f));
        }
        FpCluster cluster = new FpCluster(SEED, f, m, NetworkFaults.calm(), FpLimits.standard(), liars);
        cluster.open(ALICE, 11);
        cluster.open(BOB, 12);
        cluster.open(MALLORY, 13);
        return cluster;
    }

    private static Bytes written(FpCluster cluster, Bytes value) {
        assertThat(cluster.await(cluster.write(BOB, 12, BLOCK, value))).isInstanceOf(FpWriteOutcome.Written.class);
        cluster.simulation.runFor(500);
        return value;
    }

    /** Alice's write up to the point where she would commit; its value. */
    private Bytes stopBeforeCommit(FpCluster cluster) {
        Bytes value = cluster.value();
        cluster.simulation.start(
                ALICE,
                new StoppingOperation<>(new FpWrite(cluster.group(BLOCK), 11, value, FpCluster.TIMES), (_, send) -> {
                    if (send.message() instanceof FpMessage.Commit commit) {
                        commits.put(send.to().number(), commit);
                        return false;
                    }
                    return true;
                }));
        cluster.simulation.runFor(1_000);
        return value;
    }

    private static Bytes value(FpCluster cluster, long session) {
        return FpClusterTest.value(cluster.await(cluster.read(BOB, session, BLOCK)));
    }

    private static void unchanged(FpCluster cluster, Bytes old, String attack) {
        assertThat(value(cluster, 0)).as("%s, bulwark.seed=%d", attack, SEED).isEqualTo(old);
    }

    private static void send(FpCluster cluster, PrincipalId from, int node, FpMessage.Commit commit) {
        cluster.simulation.send(from, PrincipalId.node(node), NO_OPERATION, commit);
        cluster.simulation.runFor(100);
    }

    private FpMessage.Commit made(FpCluster cluster, FpMessage.Commit real) {
        List<FpMessage.PrepareMac> prepareMacs = new ArrayList<>();
        for (int slot = 0; slot < cluster.policy.n(); slot++) {
            prepareMacs.add(
                    new FpMessage.PrepareMac(slot, random(PairwiseKeys.KEY_BYTES), random(PairwiseKeys.MAC_BYTES)));
        }
        return new FpMessage.Commit(real.target(), real.session(), real.ts(), real.fpcc(), prepareMacs);
    }

    private static FpMessage.Commit aimed(FpMessage.Commit real, BlockId block, int node, long ts) {
        Target target = new Target(block, real.target().epoch(), node);
        return new FpMessage.Commit(target, real.session(), ts, real.fpcc(), real.prepares());
    }

    /** The first node's word under every slot's name. */
    private static FpMessage.Commit repeated(FpMessage.Commit real) {
        FpMessage.PrepareMac first = real.prepares().getFirst();
        List<FpMessage.PrepareMac> prepareMacs = real.prepares().stream()
                .map(prepareMac -> new FpMessage.PrepareMac(prepareMac.slot(), first.nonce(), first.mac()))
                .toList();
        return new FpMessage.Commit(real.target(), real.session(), real.ts(), real.fpcc(), prepareMacs);
    }

    private Bytes random(int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return Bytes.of(bytes);
    }
}
