package io.bulwark.simulation.pasis;

import io.bulwark.protocol.cluster.Fact;
import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.Protocol;
import io.bulwark.protocol.cluster.Question;
import io.bulwark.protocol.cluster.SessionState;
import io.bulwark.protocol.cluster.Verification;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.cluster.VolumeKind;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.effect.Loaded;
import io.bulwark.protocol.effect.Mutation;
import io.bulwark.protocol.effect.ProtocolServer;
import io.bulwark.protocol.effect.RecordKey;
import io.bulwark.protocol.effect.RecordKind;
import io.bulwark.protocol.effect.Stored;
import io.bulwark.protocol.epoch.SettleAnswer;
import io.bulwark.protocol.epoch.SettleRequest;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.kernel.ScrubMessage;
import io.bulwark.protocol.kernel.Timeouts;
import io.bulwark.protocol.pasis.PasisBackground;
import io.bulwark.protocol.pasis.PasisCodec;
import io.bulwark.protocol.pasis.PasisCounters;
import io.bulwark.protocol.pasis.PasisGroup;
import io.bulwark.protocol.pasis.PasisLimits;
import io.bulwark.protocol.pasis.PasisMessage;
import io.bulwark.protocol.pasis.PasisRead;
import io.bulwark.protocol.pasis.PasisReadOutcome;
import io.bulwark.protocol.pasis.PasisServer;
import io.bulwark.protocol.pasis.PasisWrite;
import io.bulwark.protocol.pasis.PasisWriteOutcome;
import io.bulwark.protocol.pasis.ReadPlan;
import io.bulwark.protocol.pasis.ValidatingTimestamp;
import io.bulwark.protocol.pasis.VerificationWatch;
import io.bulwark.protocol.pasis.VersionName;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.Message;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.simulation.engine.NetworkFaults;
import io.bulwark.simulation.engine.RunningOperation;
import io.bulwark.simulation.engine.Simulation;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.jspecify.annotations.NullMarked;

/** One volume of registers on N simulated nodes; they verify in the background when they are told to. */
@NullMarked
final class PasisCluster {
    static final Timeouts TIMES = new Timeouts(120, 300, 500, 20_000);
    static final PasisLimits LIMITS =
            new PasisLimits(8, 64, 1 << 20, 1 << 22, true, 200, 2, 64, 256, 10_000, 200, 4_000);

    private static final PrincipalId WRITER = PrincipalId.client(1);
    private static final PrincipalId READER = PrincipalId.client(9);

    final Simulation simulation;
    final Map<Integer, PasisCounters> counters = new HashMap<>();
    /** Last report of each node about a revoked client: the number of undecided versions. */
    final Map<Integer, Integer> undecided = new HashMap<>();

    /** Notices to each node of writes in flight. */
    final Map<Integer, List<String>> writes = new HashMap<>();

    final List<PasisMessage> sent = new ArrayList<>();
    /** Before which epoch each node has said that it refuses all, durably. */
    final Map<Integer, Long> promised = new HashMap<>();

    /** True while nodes' stores are held back. */
    boolean holdStores;

    private boolean releases;
    private final Map<Integer, List<Effect>> stores = new HashMap<>();
    private final Map<Integer, Boolean> settled = new HashMap<>();
    final Map<Integer, List<PasisBackground.Verified>> verified = new HashMap<>();
    private final Map<Integer, List<ScrubMessage.ScrubOutcome>> looked = new HashMap<>();
    private final Map<Integer, List<Unasked>> unasked = new HashMap<>();
    private Volume volume;
    /** Size that a node said its pool needs for the clients. */
    long neededPool;

    /** Nodes verify before they answer a read. */
    boolean onDemand;

    private boolean closed;
    private boolean deleted;
    /** Number of answers to questions for the volume that are older than it. */
    int oldAnswers;

    private int lastValue;
    /** Number of clients that could write. */
    int clients = 1;

    PasisCluster(int b, int m, int n, Verification verification, PasisLimits limits) {
        ProtectionPolicy policy = ProtectionPolicy.pasis(b, m, n, ProtectionPolicy.BLOCK_BYTES_MIN, verification);
        List<Integer> holders = IntStream.range(0, n).boxed().toList();
        this.volume =
                new Volume(6, "disk", VolumeKind.REGISTER, policy, 1_000, List.of(new PlacementGroup(1, holders)));
        this.simulation = new Simulation(
                1, NetworkFaults.calm(), List.of(new PasisCodec()), (_, question) -> Optional.of(answer(question)));
        simulation.observe((from, _, _, message) -> {
            if (message instanceof PasisMessage known) {
                sent.add(known);
            }
        });
        for (int node : holders) {
            simulation.addNode(PrincipalId.node(node), () -> new Told(node, limits));
        }
    }

    /** Message handed to a server in its next tick. */
    private record Unasked(PrincipalId from, Message message) {}

    /** Hands the server what the test wants to be verified. */
    private final class Told implements ProtocolServer, VerificationWatch {
        private final int node;
        private final PasisServer server;

        Told(int node, PasisLimits limits) {
            this.node = node;
            this.server = new PasisServer(
                    PrincipalId.node(node), limits, () -> clients, this, (_, left) -> undecided.put(node, left));
        }

        @Override
        public void writeBegins(PrincipalId client, BlockId block) {
            writes.computeIfAbsent(node, _ -> new ArrayList<>()).add(client + " begins");
        }

        @Override
        public void writeCame(PrincipalId client, BlockId block) {
            writes.computeIfAbsent(node, _ -> new ArrayList<>()).add(client + " came");
        }

        @Override
        public void poolIsShort(int volumeId, long neededBytes) {
            neededPool = Math.max(neededPool, neededBytes);
        }

        @Override
        public boolean mustVerifyBeforeRead(long nowMillis, BlockId block) {
            return onDemand;
        }

        @Override
        public void onCountersChanged(int volumeId, PasisCounters counted) {
            counters.put(node, counted);
        }

        @Override
        public List<Effect> onMessage(long nowMillis, PrincipalId from, long requestId, Message message) {
            return local(server.onMessage(nowMillis, from, requestId, message));
        }

        @Override
        public List<Effect> onTick(long nowMillis) {
            List<Effect> effects = new ArrayList<>(server.onTick(nowMillis));
            List<Unasked> todo = unasked.remove(node);
            if (todo != null) {
                todo.forEach(each -> effects.addAll(server.onMessage(nowMillis, each.from(), -1, each.message())));
            }
            List<Effect> outside = new ArrayList<>(releases ? stores.getOrDefault(node, List.of()) : List.of());
            outside.forEach(stores.getOrDefault(node, List.of())::remove);
            outside.addAll(local(effects));
            return outside;
        }

        @Override
        public List<Effect> onStored(long nowMillis, long token, Stored stored) {
            return local(server.onStored(nowMillis, token, stored));
        }

        @Override
        public List<Effect> onLoaded(long nowMillis, long token, Loaded loaded) {
            return local(server.onLoaded(nowMillis, token, loaded));
        }

        @Override
        public List<Effect> onFact(long nowMillis, Fact fact) {
            return local(server.onFact(nowMillis, fact));
        }

        @Override
        public List<Effect> onCompleted(long nowMillis, long token, Object outcome) {
            return local(server.onCompleted(nowMillis, token, outcome));
        }

        private List<Effect> local(List<Effect> effects) {
            List<Effect> outside = new ArrayList<>();
            for (Effect effect : effects) {
                if (effect instanceof Effect.Send send && send.message() instanceof PasisBackground.Verified done) {
                    verified.computeIfAbsent(node, _ -> new ArrayList<>()).add(done);
                } else if (effect instanceof Effect.Send send
                        && send.message() instanceof PasisBackground.ScrubResult seen) {
                    looked.computeIfAbsent(node, _ -> new ArrayList<>()).add(seen.found());
                } else if (effect instanceof Effect.Send send && send.message() instanceof SettleAnswer done) {
                    settled.put(node, done.done());
                } else if (effect instanceof Effect.Refuses refuses) {
                    promised.put(node, refuses.before());
                } else if (effect instanceof Effect.Store && holdStores) {
                    stores.computeIfAbsent(node, _ -> new ArrayList<>()).add(effect);
                } else {
                    outside.add(effect);
                }
            }
            return outside;
        }
    }

    private Fact answer(Question question) {
        return switch (question) {
            case Question.OfSession of ->
                new Fact.OfSession(
                        of.volume(), of.owner(), of.session(), closed ? SessionState.CLOSED : SessionState.OPEN);
            case Question.OfGrant of ->
                new Fact.OfGrant(
                        of.volume(), of.principal(), true, of.principal().equals(WRITER));
            case Question.OfVolume of -> {
                boolean known = of.volume() == volume.id() && !deleted && oldAnswers-- <= 0;
                yield new Fact.OfVolume(of.volume(), known ? Optional.of(volume) : Optional.empty());
            }
        };
    }

    /** Executes the stores that were held back, and holds back no more. */
    void releaseStores() {
        holdStores = false;
        releases = true;
        simulation.runFor(500);
        releases = false;
    }

    /** The volume is deleted; no node is told. */
    void deleteVolume() {
        deleted = true;
    }

    PasisGroup group(long block) {
        return PasisGroup.of(volume, BlockId.register(volume.id(), block));
    }

    Bytes value() {
        byte[] bytes = new byte[volume.policy().blockBytes()];
        Arrays.fill(bytes, (byte) ++lastValue);
        return Bytes.of(bytes);
    }

    /** Returns the fragments of a new value of a block. */
    List<Bytes> fragments(long block) {
        return group(block).encode(group(block).padded(value()));
    }

    /** As {@link #fragments}, but one is that of another value: who validates the version finds it poisonous. */
    List<Bytes> mixed(long block) {
        List<Bytes> mixed = new ArrayList<>(fragments(block));
        mixed.set(4, fragments(block).get(4));
        return mixed;
    }

    ValidatingTimestamp write(int client, long block) {
        PrincipalId self = PrincipalId.client(client);
        RunningOperation<PasisWriteOutcome> running =
                simulation.start(self, new PasisWrite(group(block), self, 1, value(), TIMES));
        simulation.runUntil(() -> running.outcome().isPresent(), 30_000);
        return running.outcome().orElseThrow() instanceof PasisWriteOutcome.Written done
                ? done.timestamp()
                : ValidatingTimestamp.NONE;
    }

    PasisReadOutcome read(long block) {
        RunningOperation<PasisReadOutcome> running = simulation.start(
                READER, PasisRead.withRepairRequests(group(block), TIMES, ReadPlan.full(group(block))));
        simulation.runUntil(() -> running.outcome().isPresent(), 30_000);
        return running.outcome().orElseThrow();
    }

    /** Sends the fragments of a version to some slots, as a faulty client may. */
    void send(int client, long block, ValidatingTimestamp version, List<Bytes> fragments, int... slots) {
        sendOff(client, block, version, fragments, slots);
        simulation.runFor(500);
    }

    /** As {@link #send}, without waiting until all is done. */
    void sendOff(int client, long block, ValidatingTimestamp version, List<Bytes> fragments, int... slots) {
        PasisGroup group = group(block);
        for (int slot : slots) {
            simulation.send(
                    PrincipalId.client(client),
                    group.node(slot),
                    1L << 40,
                    new PasisMessage.Write(group.target(slot), 1, version, fragments.get(slot)));
        }
    }

    void verify(long block, int... nodes) {
        verify(block, false, nodes);
    }

    /** Verifies a block as the background does after a failed verification. */
    void verifyAgain(long block, int... nodes) {
        verify(block, true, nodes);
    }

    /** As {@link #verifyAgain} of one node, in its next tick. */
    void verifyLater(long block, int node) {
        later(node, new PasisBackground.Verify(group(block).block(), true));
    }

    private void verify(long block, boolean repair, int... nodes) {
        for (int node : nodes) {
            later(node, new PasisBackground.Verify(group(block).block(), repair));
        }
        simulation.runFor(1_000);
    }

    /**
     * Delivers all messages to a node at the same moment: requests from a client, background messages from the node
     * itself.
     */
    void together(int node, Message... messages) {
        for (Message message : messages) {
            later(node, message);
        }
        simulation.runFor(1_000);
    }

    private void later(int node, Message message) {
        later(node, message instanceof PasisBackground ? PrincipalId.node(node) : READER, message);
    }

    private void later(int node, PrincipalId from, Message message) {
        unasked.computeIfAbsent(node, _ -> new ArrayList<>()).add(new Unasked(from, message));
    }

    /** Returns a client's first question to a node when it reads. */
    PasisMessage.Read question(int slot, long block) {
        return new PasisMessage.Read(group(block).target(slot), ValidatingTimestamp.NONE, false, null);
    }

    /** A client asks one node. */
    void ask(int slot, long block) {
        simulation.send(READER, group(block).node(slot), 1L << 40, question(slot, block));
        simulation.runFor(100);
    }

    /** Scrubbing of a node comes to a block. */
    ScrubMessage.ScrubOutcome look(int node, long block) {
        looked.remove(node);
        later(node, new PasisBackground.ScrubRequest(group(block).block()));
        simulation.runUntil(() -> looked.containsKey(node), 60_000);
        return looked.getOrDefault(node, List.of()).getFirst();
    }

    /** The keys of the versions that a node's disk holds of a block. */
    List<RecordKey> versions(int node, long block) {
        BlockId id = group(block).block();
        return simulation
                .records(PrincipalId.node(node))
                .scan(RecordKind.PASIS_VERSION, id, id, Integer.MAX_VALUE)
                .records()
                .stream()
                .map(Loaded.Meta::key)
                .filter(key -> !key.suffix().isEmpty())
                .toList();
    }

    /** All that a node holds of a block is lost; the node starts again, and is told of its volumes as the scrubber does. */
    void lose(int node, long block) {
        PrincipalId self = PrincipalId.node(node);
        simulation.crash(self);
        for (RecordKey key : simulation.records(self).keys()) {
            if (key.block().equals(group(block).block())) {
                simulation.records(self).apply(List.of(new Mutation.Delete(key)));
            }
        }
        simulation.restart(self);
        simulation.tell(self, new Fact.OfVolume(volume.id(), Optional.of(volume)));
        simulation.runFor(500);
    }

    /** All sessions that any node knows are closed, and all nodes that run are told. */
    void closeSessions() {
        closed = true;
        for (int client : List.of(1, 20)) {
            tell(new Fact.OfSession(volume.id(), PrincipalId.client(client), 1, SessionState.CLOSED));
        }
    }

    private void tell(Fact fact) {
        for (int node = 0; node < volume.policy().n(); node++) {
            simulation.tell(PrincipalId.node(node), fact);
        }
        simulation.runFor(100);
    }

    /** The same holders in a later epoch; nodes learn it when they ask. */
    void nextEpoch() {
        PlacementGroup old = volume.groups().getFirst();
        volume = with(new PlacementGroup(old.epoch() + 1, old.holders()));
    }

    private Volume with(PlacementGroup group) {
        return new Volume(
                volume.id(), volume.name(), VolumeKind.REGISTER, volume.policy(), volume.blocks(), List.of(group));
    }

    /** The group is as this, and all nodes that run are told. */
    void place(PlacementGroup group) {
        volume = with(group);
        tell(new Fact.OfVolume(volume.id(), Optional.of(volume)));
    }

    /** One node has heard that the group is as this, and nobody else. */
    void placeAt(int node, PlacementGroup group) {
        simulation.tell(PrincipalId.node(node), new Fact.OfVolume(volume.id(), Optional.of(with(group))));
        simulation.runFor(100);
    }

    /** A node sees to a block before it confirms an epoch. */
    boolean settle(int node, long block, long epoch) {
        settleLater(node, block, epoch);
        return settled(node);
    }

    /** As {@link #settle}, in its next tick. */
    void settleLater(int node, long block, long epoch) {
        settled.remove(node);
        later(
                node,
                PrincipalId.node(node),
                new SettleRequest(Protocol.PASIS, group(block).block(), epoch));
    }

    /** Waits for the node's result, and returns it. */
    boolean settled(int node) {
        simulation.runUntil(() -> settled.containsKey(node), 60_000);
        return settled.getOrDefault(node, false);
    }

    /** Returns how many nodes' disks hold a version. */
    long holding(long block, ValidatingTimestamp version) {
        return IntStream.range(0, volume.policy().n())
                .filter(node -> versions(node, block).stream()
                        .anyMatch(key ->
                                VersionName.read(new WireReader(key.suffix())).equals(version.name())))
                .count();
    }

    /** Returns the number of a block's possible versions that a node's disk has on any account. */
    int charged(int node, long block) {
        BlockId id = group(block).block();
        return simulation
                .records(PrincipalId.node(node))
                .scan(RecordKind.PASIS_POSSIBLE, id, id, Integer.MAX_VALUE)
                .records()
                .size();
    }

    void notify(int from, int to, long block, ValidatingTimestamp version, boolean poisonous) {
        notify(group(block), from, to, version, poisonous);
    }

    void notify(PasisGroup group, int from, int to, ValidatingTimestamp version, boolean poisonous) {
        simulation.send(
                PrincipalId.node(from),
                group.node(to),
                1L << 40,
                new PasisMessage.Notify(group.target(to), version, poisonous));
        simulation.runFor(300);
    }

    /** Returns the number of a block's versions on a node's disk. */
    long held(int node, long block) {
        return versions(node, block).size();
    }

    PasisCounters counters(int node) {
        return counters.getOrDefault(node, PasisCounters.ZERO);
    }
}
