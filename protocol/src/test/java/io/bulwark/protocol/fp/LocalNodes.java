package io.bulwark.protocol.fp;

import io.bulwark.protocol.cluster.Fact;
import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.Protocol;
import io.bulwark.protocol.cluster.Question;
import io.bulwark.protocol.cluster.SessionState;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.cluster.VolumeKind;
import io.bulwark.protocol.effect.ClientOperation;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.effect.Loaded;
import io.bulwark.protocol.effect.RecordKey;
import io.bulwark.protocol.effect.RecordKind;
import io.bulwark.protocol.effect.Stored;
import io.bulwark.protocol.epoch.SettleAnswer;
import io.bulwark.protocol.epoch.SettleRequest;
import io.bulwark.protocol.fingerprint.BlockCode;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.kernel.ScrubMessage;
import io.bulwark.protocol.mac.PairwiseKeys;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.jspecify.annotations.NullMarked;

/** The n servers of one group, each with a disk in memory; messages arrive at once, in order, unless a node is cut off. */
@NullMarked
final class LocalNodes {
    static final int VOLUME = 3;
    static final PrincipalId CLIENT = PrincipalId.client(1);
    static final PrincipalId OTHER = PrincipalId.client(2);
    static final long SESSION = 7;
    static final FpLimits LIMITS = new FpLimits(6, 2, 2, 1_000, 1_000, 100, 64, 10_000, 3_000);

    record Arrival(PrincipalId from, PrincipalId to, long id, FpMessage message) {}

    final FpGroup group;
    final Set<Integer> cutOff = new HashSet<>();
    /** These messages are lost. */
    Predicate<Arrival> lost = _ -> false;
    /** Clients without grants, as the replicas have it. */
    final Set<PrincipalId> denied = new HashSet<>(Set.of(OTHER));
    /** Last report of each node on the undecided versions of revoked clients. */
    final Map<Integer, Integer> undecided = new HashMap<>();
    /** Blocks that need a write by somebody, according to the nodes. */
    final Set<BlockId> awaited = new HashSet<>();

    final List<FpMessage> answers = new ArrayList<>();
    final List<Effect.Evidence> evidence = new ArrayList<>();
    final List<Effect.Scan> scans = new ArrayList<>();
    private final List<ScrubMessage.ScrubOutcome> found = new ArrayList<>();
    private final List<Boolean> settled = new ArrayList<>();
    final Map<Integer, PairwiseKeys> keys = new HashMap<>();
    final Map<Integer, Integer> stores = new HashMap<>();
    final Map<Integer, Long> promised = new HashMap<>();
    /** Number of times that each node has loaded the state of the group's block. */
    final Map<Integer, Integer> loads = new HashMap<>();

    Stored nextStore = Stored.DURABLE;
    /** Stores that the nodes are told to have failed are on the disk all the same. */
    boolean failedIsDone;
    /** A volume that is not under FP. */
    Optional<Volume> foreign = Optional.empty();
    /** True if the volume is deleted; the nodes receive no notice. */
    boolean deleted;

    long now = 1_000;
    /** From now on stores are kept back until {@link #releaseStores}. */
    boolean holdStores;

    private final Deque<Runnable> heldStores = new ArrayDeque<>();
    private Volume volume;
    private final FpLimits limits;
    private final Map<Integer, FpServer> servers = new HashMap<>();
    private final Map<Integer, LocalDisk> disks = new HashMap<>();
    private final Map<Long, SessionState> sessions = new HashMap<>();
    private final Deque<Arrival> network = new ArrayDeque<>();
    private final Map<Long, ClientOperation<?>> operations = new TreeMap<>();
    private final Map<Long, Runnable> whenFinished = new HashMap<>();
    private final Map<Long, PrincipalId> parties = new HashMap<>();
    private long lastId = 100;

    LocalNodes(int f, int m) {
        this(f, m, LIMITS);
    }

    LocalNodes(int f, int m, FpLimits limits) {
        this.limits = limits;
        int n = m + 2 * f;
        ProtectionPolicy policy = new ProtectionPolicy(f, m, n, ProtectionPolicy.BLOCK_BYTES_MIN);
        PlacementGroup placement =
                new PlacementGroup(1, IntStream.range(0, n).boxed().toList());
        volume = new Volume(VOLUME, "disk", VolumeKind.REGISTER, policy, 100, List.of(placement));
        group = FpGroup.of(volume, BlockId.register(VOLUME, 9));
        sessions.put(SESSION, SessionState.OPEN);
        for (int i = 0; i < n; i++) {
            Map<PrincipalId, Bytes> own = new HashMap<>();
            for (int j = 0; j < n; j++) {
                own.put(PrincipalId.node(j), SampleMessages.filled(32, 1 + Math.min(i, j) * n + Math.max(i, j)));
            }
            keys.put(i, new PairwiseKeys(PrincipalId.node(i), own));
            disks.put(i, new LocalDisk());
            restart(i);
        }
    }

    void restart(int node) {
        servers.put(
                node, new FpServer(keysOf(node), limits, _ -> true, new RecordedUndecided(node, undecided, awaited)));
    }

    /** From now on nobody can verify what this node vouches for. */
    void useWrongKeys(int node) {
        Map<PrincipalId, Bytes> wrong = new HashMap<>();
        keys.keySet().forEach(peer -> wrong.put(PrincipalId.node(peer), SampleMessages.filled(32, 200 + peer)));
        keys.put(node, new PairwiseKeys(PrincipalId.node(node), wrong));
        restart(node);
    }

    PairwiseKeys keysOf(int node) {
        return Objects.requireNonNull(keys.get(node));
    }

    Bytes block(int seed) {
        byte[] bytes = new byte[group.policy().blockBytes()];
        new Random(seed).nextBytes(bytes);
        return group.padded(Bytes.of(bytes));
    }

    BlockCode.Encoded encode(int seed) {
        return group.code().encode(block(seed));
    }

    void session(long session, SessionState state) {
        sessions.put(session, state);
        servers.keySet().forEach(node -> tell(node, new Fact.OfSession(VOLUME, CLIENT, session, state)));
    }

    /** Sets the replicas' answer about a session from now on. */
    void sessionAtReplicas(long session, SessionState state) {
        sessions.put(session, state);
    }

    void tell(int node, Fact fact) {
        perform(node, server(node).onFact(now, fact));
        deliver();
    }

    /** The answers of a node to a request, at once or after what it does first. */
    List<FpMessage> ask(PrincipalId from, FpMessage.Request request) {
        answers.clear();
        network.add(new Arrival(from, group.node(request.target().slot()), 1, request));
        deliver();
        return List.copyOf(answers);
    }

    /** The answers of a node that need not be the one that the request names. */
    List<FpMessage> askNode(int node, PrincipalId from, FpMessage.Request request) {
        answers.clear();
        network.add(new Arrival(from, PrincipalId.node(node), 1, request));
        deliver();
        return List.copyOf(answers);
    }

    FpMessage one(PrincipalId from, FpMessage.Request request) {
        List<FpMessage> all = ask(from, request);
        if (all.size() != 1) {
            throw new AssertionError("answers: " + all);
        }
        return all.getFirst();
    }

    FpMessage.PrepareFragment fragment(int slot, long ts, int seed) {
        BlockCode.Encoded encoded = encode(seed);
        return new FpMessage.PrepareFragment(
                group.target(slot),
                SESSION,
                ts,
                encoded.fpcc(),
                encoded.fragments().get(slot));
    }

    FpMessage.PrepareBlock wholeBlock(int slot, long ts, int seed) {
        return new FpMessage.PrepareBlock(
                group.target(slot), SESSION, ts, encode(seed).fpcc(), block(seed));
    }

    /** Prepares at the first {@code count} slots, and what each says. */
    List<FpMessage.Prepared> prepare(int count, long ts, int seed) {
        List<FpMessage.Prepared> prepared = new ArrayList<>();
        for (int slot = 0; slot < count; slot++) {
            FpMessage.Request request =
                    slot < group.policy().writeQuorum() ? fragment(slot, ts, seed) : wholeBlock(slot, ts, seed);
            prepared.add((FpMessage.Prepared) one(CLIENT, request));
        }
        return prepared;
    }

    FpMessage.Commit commit(int slot, int seed, List<FpMessage.Prepared> prepares) {
        List<FpMessage.PrepareMac> prepareMacs = prepares.stream()
                .map(p -> new FpMessage.PrepareMac(
                        p.target().slot(), p.nonce(), p.macs().get(slot)))
                .toList();
        long ts = prepares.getFirst().version().ts();
        return new FpMessage.Commit(
                group.target(slot), SESSION, ts, encode(seed).fpcc(), prepareMacs);
    }

    /** Writes the block of a seed at ts, committed at the slots given. */
    Timestamp write(long ts, int seed, int... committedAt) {
        List<FpMessage.Prepared> prepares = prepare(group.policy().writeQuorum(), ts, seed);
        for (int slot : committedAt) {
            FpMessage answer = one(CLIENT, commit(slot, seed, prepares));
            if (!(answer instanceof FpMessage.Committed)) {
                throw new AssertionError("not committed: " + answer);
            }
        }
        return new Timestamp(ts, encode(seed).fpcc());
    }

    Timestamp latest(int slot) {
        return ((FpMessage.FoundTimestamp) one(CLIENT, new FpMessage.FindTimestamp(group.target(slot), false)))
                .latest();
    }

    HeldVersion holding(int slot, Timestamp version) {
        FpMessage.ReadAnswer answer =
                (FpMessage.ReadAnswer) one(CLIENT, new FpMessage.Read(group.target(slot), version.version()));
        HeldVersion holding = answer.holding();
        if (holding == null) {
            throw new AssertionError("holds nothing of " + version);
        }
        return holding;
    }

    <R> ClientOperation<R> run(PrincipalId client, ClientOperation<R> operation) {
        start(client, operation, () -> {});
        deliver();
        return operation;
    }

    /** Returns the finding of a scrub of the block at a node. */
    ScrubMessage.ScrubOutcome look(int node) {
        found.clear();
        ScrubMessage.ScrubRequest look = new ScrubMessage.ScrubRequest(group.block());
        tell(node, answer(new Question.OfVolume(VOLUME, 0, 1)));
        perform(node, server(node).onMessage(now, PrincipalId.node(node), 2, look));
        deliver();
        for (int i = 0; i < 200 && found.isEmpty(); i++) {
            pass(50);
        }
        return found.getFirst();
    }

    void beginSettling(int node, long epoch) {
        settled.clear();
        SettleRequest asked = new SettleRequest(Protocol.FP, group.block(), epoch);
        perform(node, server(node).onMessage(now, PrincipalId.node(node), 2, asked));
        deliver();
    }

    /** Returns the results of settling so far. */
    List<Boolean> settled() {
        return List.copyOf(settled);
    }

    /** Returns the number of nodes that have the version as committed. */
    long committedOnDisk(Timestamp version) {
        return disks.values().stream().filter(disk -> disk.committed(version)).count();
    }

    /** Lets time pass, with the ticks of operations and servers. */
    void pass(long millis) {
        for (long end = now + millis; now < end; now += 50) {
            for (Map.Entry<Long, ClientOperation<?>> entry : List.copyOf(operations.entrySet())) {
                send(entry.getKey(), entry.getValue().onTick(now));
            }
            for (int node : List.copyOf(servers.keySet())) {
                perform(node, server(node).onTick(now));
            }
            deliver();
        }
    }

    void putOnDisk(int node, VersionRecord record) {
        disk(node).put(record.key(group.block()), record.encoded());
    }

    void putOnDisk(int node, RecordKey key) {
        disk(node).put(key, Bytes.of((byte) 1));
    }

    int versionsOnDisk(int node) {
        return disk(node).scan(RecordKind.REGISTER_VERSION).size();
    }

    int chargesOnDisk(int node) {
        return disk(node).charges(false);
    }

    void damage(int node) {
        disk(node).damage(RecordKind.REGISTER_VERSION);
    }

    private FpServer server(int node) {
        return Objects.requireNonNull(servers.get(node));
    }

    LocalDisk disk(int node) {
        return Objects.requireNonNull(disks.get(node));
    }

    private void start(PrincipalId party, ClientOperation<?> operation, Runnable then) {
        long id = ++lastId;
        operations.put(id, operation);
        parties.put(id, party);
        whenFinished.put(id, then);
        send(id, operation.start(now));
    }

    private void send(long id, List<Effect> effects) {
        for (Effect effect : effects) {
            if (effect instanceof Effect.Send send) {
                network.add(new Arrival(
                        Objects.requireNonNull(parties.get(id)), send.to(), id, (FpMessage) send.message()));
            }
        }
        ClientOperation<?> operation = operations.get(id);
        if (operation != null && operation.isFinished()) {
            operations.remove(id);
            Objects.requireNonNull(whenFinished.remove(id)).run();
        }
    }

    private void deliver() {
        for (Arrival arrival = network.poll(); arrival != null; arrival = network.poll()) {
            if (isCutOff(arrival.to()) || isCutOff(arrival.from()) || lost.test(arrival)) {
                continue;
            }
            ClientOperation<?> operation = operations.get(arrival.id());
            if (operation != null && arrival.to().equals(parties.get(arrival.id()))) {
                send(arrival.id(), operation.onMessage(now, arrival.from(), arrival.message()));
            } else if (isNode(arrival.to())) {
                int node = arrival.to().number();
                perform(node, server(node).onMessage(now, arrival.from(), arrival.id(), arrival.message()));
            } else if (arrival.id() == 1) {
                answers.add(arrival.message());
            }
        }
    }

    private boolean isCutOff(PrincipalId party) {
        return isNode(party) && cutOff.contains(party.number());
    }

    private static boolean isNode(PrincipalId id) {
        return id.equals(PrincipalId.node(id.number()));
    }

    private void perform(int node, List<Effect> effects) {
        for (Effect effect : effects) {
            switch (effect) {
                case Effect.Send send
                when send.message() instanceof ScrubMessage.ScrubResult seen -> found.add(seen.found());
                case Effect.Send send when send.message() instanceof SettleAnswer done -> settled.add(done.done());
                case Effect.Send send -> {
                    FpMessage message = (FpMessage) send.message();
                    if (send.requestId() == 1) {
                        answers.add(message);
                    } else {
                        network.add(new Arrival(PrincipalId.node(node), send.to(), send.requestId(), message));
                    }
                }
                case Effect.Store store -> {
                    if (holdStores) {
                        heldStores.add(() -> store(node, store));
                    } else {
                        store(node, store);
                    }
                }
                case Effect.Load load ->
                    perform(
                            node,
                            server(node).onLoaded(now, load.token(), disk(node).load(load.key())));
                case Effect.LoadMetas load -> {
                    if (load.kind() == RecordKind.REGISTER_VERSION
                            && load.block().equals(group.block())) {
                        loads.merge(node, 1, Integer::sum);
                    }
                    Loaded metas = disk(node).scan(load.kind(), load.block(), load.block(), Integer.MAX_VALUE);
                    perform(node, server(node).onLoaded(now, load.token(), metas));
                }
                case Effect.Ask ask -> perform(node, server(node).onFact(now, answer(ask.question())));
                case Effect.Run run ->
                    start(
                            PrincipalId.node(node),
                            run.operation(),
                            () -> perform(
                                    node,
                                    server(node)
                                            .onCompleted(
                                                    now,
                                                    run.token(),
                                                    run.operation().outcome().orElseThrow())));
                case Effect.Evidence seen -> evidence.add(seen);
                case Effect.Scan scan -> {
                    scans.add(scan);
                    Loaded metas = disk(node).scan(scan.kind(), scan.from(), scan.to(), scan.max());
                    perform(node, server(node).onLoaded(now, scan.token(), metas));
                }
                case Effect.Refuses promise -> promised.put(node, promise.before());
            }
        }
    }

    private void store(int node, Effect.Store store) {
        Stored stored = nextStore;
        if (stored == Stored.DURABLE || failedIsDone) {
            stores.merge(node, 1, Integer::sum);
            store.mutations().forEach(disk(node)::apply);
        }
        perform(node, server(node).onStored(now, store.token(), stored));
    }

    /** Releases the store that has been held longest; the others stay held. */
    void releaseOneStore() {
        Optional.ofNullable(heldStores.poll()).ifPresent(Runnable::run);
        deliver();
    }

    void releaseStores() {
        holdStores = false;
        while (!heldStores.isEmpty()) {
            releaseOneStore();
        }
    }

    /** The same holders in another epoch, told to all. */
    void epoch(long epoch) {
        place(new PlacementGroup(epoch, volume.groups().getFirst().holders()));
    }

    /** Told to all. */
    void place(PlacementGroup placement) {
        volume = volume(placement);
        servers.keySet().forEach(node -> tell(node, new Fact.OfVolume(VOLUME, Optional.of(volume))));
    }

    Volume volume(PlacementGroup placement) {
        return new Volume(VOLUME, volume.name(), volume.kind(), volume.policy(), volume.blocks(), List.of(placement));
    }

    /** The group as it is placed now. */
    FpGroup groupNow() {
        return FpGroup.of(volume, group.block());
    }

    /** Returns the latest timestamp that a slot reports in the current epoch. */
    Timestamp latestNow(int slot) {
        FpMessage found = one(CLIENT, new FpMessage.FindTimestamp(groupNow().target(slot), false));
        return ((FpMessage.FoundTimestamp) found).latest();
    }

    /** Returns whether a node has settled the block in an epoch. */
    boolean settle(int node, long epoch) {
        beginSettling(node, epoch);
        for (int i = 0; i < 600 && settled.isEmpty(); i++) {
            pass(50);
        }
        return settled.getFirst();
    }

    private Fact answer(Question question) {
        return switch (question) {
            case Question.OfVolume of -> {
                boolean own = of.volume() == VOLUME && !deleted;
                Optional<Volume> other = foreign.filter(each -> each.id() == of.volume());
                yield new Fact.OfVolume(of.volume(), own ? Optional.of(volume) : other);
            }
            case Question.OfGrant of ->
                new Fact.OfGrant(of.volume(), of.principal(), !denied.contains(of.principal()), false);
            case Question.OfSession of -> {
                SessionState state = sessions.getOrDefault(of.session(), SessionState.UNKNOWN);
                yield new Fact.OfSession(of.volume(), of.owner(), of.session(), state);
            }
        };
    }
}
