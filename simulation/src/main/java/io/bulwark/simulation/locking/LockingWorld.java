package io.bulwark.simulation.locking;

import io.bulwark.protocol.cluster.NodeAddress;
import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.VolumeKind;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKey;
import io.bulwark.protocol.locking.LockView;
import io.bulwark.protocol.locking.LockingCodec;
import io.bulwark.protocol.locking.LogId;
import io.bulwark.protocol.locking.Subtree;
import io.bulwark.protocol.metadata.Command;
import io.bulwark.protocol.metadata.Condition;
import io.bulwark.protocol.metadata.Genesis;
import io.bulwark.protocol.metadata.GenesisKeys;
import io.bulwark.protocol.metadata.Query;
import io.bulwark.protocol.metadata.Reply;
import io.bulwark.protocol.metadata.Rights;
import io.bulwark.protocol.metadata.Scope;
import io.bulwark.protocol.metadata.Submission;
import io.bulwark.protocol.metadata.Versioning;
import io.bulwark.protocol.ordering.OrderingCodec;
import io.bulwark.protocol.ordering.membership.Member;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.simulation.campaign.Invariant;
import io.bulwark.simulation.campaign.Setting;
import io.bulwark.simulation.campaign.SimulatedWorld;
import io.bulwark.simulation.engine.SimulatedRecords;
import io.bulwark.simulation.engine.Simulation;
import io.bulwark.simulation.metadata.CommandOrder;
import io.bulwark.simulation.metadata.LyingReplica;
import io.bulwark.simulation.metadata.OrderedState;
import io.bulwark.simulation.metadata.ReplicaDisk;
import io.bulwark.simulation.metadata.ReplicaInvariants;
import io.bulwark.simulation.metadata.SimulatedReplica;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;

/**
 * Replicas with log servers, and correct clients that put, delete, rename, copy, get and list the same few names, with
 * locks and without. Replies must fit into one order of all requests.
 */
public final class LockingWorld implements SimulatedWorld {
    static final String NAMES = "names";
    static final String WILD = "wild";
    static final String VOLUME = "volume";
    static final int NODES = 5;
    private static final int CLIENTS = 3;

    /** Its rights change. */
    static final PrincipalId GRANTED = PrincipalId.client(1);

    private static final int OPERATOR = 10;
    private static final int FIRST_FAULTY_CLIENT = 20;
    private static final List<String> KEYS = List.of("a/1", "a/2", "b/1", "b/2", "c");
    private static final List<String> PREFIXES = List.of("a/", "b/", "", "a/1");
    private static final List<String> HOMES = List.of("a/", "b/", "");
    private static final int BLOCK_BYTES = 512;
    private static final int UNDER_WAY_MAX = 4;
    private static final int LOCKS_ONE_IN = 4;
    private static final int RELEASES_ONE_IN = 40;
    private static final int TOGETHER_MAX = 3;
    private static final int KILLS_ONE_IN = 90;
    private static final int ALL_CRASH_ONE_IN = 120;
    private static final int OPERATES_ONE_IN = 25;
    private static final List<Integer> SPEEDS = List.of(1, 8, 8, 20, 60);
    private static final int WILD_ONE_IN = 20;
    private static final int SPARES = 5;
    private static final long SETUP_MILLIS = 600_000;

    /** Bound of the time in which all rounds end, once all is well: see docs/protocols/locking.md. */
    private static final long ROUNDS_MILLIS = 20_000;

    private final Setting setting;
    private final Random random;
    private final Simulation simulation;
    private final CommandOrder order;
    private final List<PrincipalId> replicaIds;

    /** The replicas of the genesis, and those that may follow. */
    private final List<PrincipalId> processIds;

    private final HolderKey operatorKey;
    private final GenesisKeys keys;
    private final Set<PrincipalId> faulty = new TreeSet<>();
    private final Set<PrincipalId> forgetful = new TreeSet<>();
    private final Map<PrincipalId, LockingReplica> processes = new TreeMap<>();
    private final Map<PrincipalId, ReplicaDisk> disks = new TreeMap<>();
    private final LockInvariants invariants = new LockInvariants();
    private final LogLies.Shared lies = new LogLies.Shared();
    private final OrderedState state;
    private final Bytes cluster = GenesisKeys.NONE.cluster();
    private final List<LockClient> clients = new ArrayList<>();
    private final NameHistory history = new NameHistory();

    /** Clients stay at home, except one time in so many. */
    private final int visitsOneIn;

    /** Faulty clients do something in one step of so many. */
    private final int attacksOneIn;

    private final int[] underWay = new int[CLIENTS];
    private final int operatesOneIn;
    private final List<FaultyHolder> attackers = new ArrayList<>();
    private final LockOperator operator;
    private final Amnesia amnesia;
    private int parties;
    private boolean isUndecided;
    private int volume;
    private int values;
    private long lastVersion = 1;
    private long begun;
    private long ended;

    LockingWorld(Setting setting) {
        this.setting = setting;
        random = new Random(setting.random("locking").nextLong());
        visitsOneIn = 3 << (2 * random.nextInt(4));
        attacksOneIn = 2 << (2 * random.nextInt(4));
        simulation = new Simulation(
                setting.seed(),
                setting.network(),
                List.of(new OrderingCodec(), new LockingCodec()),
                (node, question) -> Optional.empty());
        order = new CommandOrder(simulation::nowMillis);
        int replicas = 3 * setting.faults() + 1;
        boolean isRecovering = setting.random("recoveries").nextInt(3) == 0;
        int spares = !isRecovering && setting.random("spares").nextBoolean() ? SPARES : 0;
        processIds = IntStream.range(0, replicas + spares)
                .mapToObj(PrincipalId::replica)
                .toList();
        replicaIds = processIds.subList(0, replicas);
        operatorKey = keyOf(PrincipalId.client(OPERATOR));
        keys = keys();
        chooseFaulty(isRecovering ? setting.faults() - 1 : setting.faults());
        state = addReplicas();
        setUp();
        for (int number = 1; number <= CLIENTS; number++) {
            clients.add(client(number));
        }
        for (int number = 0; number < setting.byzantineClients(); number++) {
            attackers.add(new FaultyHolder(
                    party(PrincipalId.client(FIRST_FAULTY_CLIENT + number)), cluster, volume, lies, random.nextLong()));
        }
        operator = new LockOperator(
                party(PrincipalId.client(OPERATOR)),
                attackers.stream().map(FaultyHolder::self).toList(),
                this::group,
                new ReplicaSuccession(() -> state.now().configuration(), faulty, spares()),
                this::signed,
                random.nextLong());
        for (int node = 0; node < NODES; node++) {
            new EpochHolder(party(PrincipalId.node(node)), volume, this::group);
        }
        amnesia = new Amnesia(
                List.copyOf(forgetful),
                isRecovering
                        ? replicaIds.stream().filter(id -> !faulty.contains(id)).toList()
                        : List.of(),
                new Replicas(),
                new Random(setting.random("amnesia").nextLong()));
        operatesOneIn = setting.random("operator").nextBoolean() ? OPERATES_ONE_IN : Integer.MAX_VALUE;
        // Marks of contention end within a run, and in some runs sessions expire.
        order.setSpeed(SPEEDS.get(random.nextInt(SPEEDS.size())));
    }

    private void chooseFaulty(int count) {
        while (faulty.size() < count) {
            PrincipalId chosen = replicaIds.get(random.nextInt(replicaIds.size()));
            if (faulty.add(chosen) && random.nextInt(3) == 0) {
                forgetful.add(chosen);
            }
        }
    }

    private OrderedState addReplicas() {
        List<NodeAddress> addresses = IntStream.range(0, NODES)
                .mapToObj(node -> new NodeAddress(node, "node-" + node, 1))
                .toList();
        List<Genesis.Grant> grants = new ArrayList<>();
        for (int client = 1; client <= CLIENTS; client++) {
            PrincipalId id = PrincipalId.client(client);
            grants.add(id.equals(GRANTED) ? Genesis.Grant.none(id) : Genesis.Grant.all(id));
        }
        grants.add(Genesis.Grant.all(PrincipalId.client(OPERATOR)));
        for (int client = 0; client < setting.byzantineClients(); client++) {
            grants.add(new Genesis.Grant(PrincipalId.client(FIRST_FAULTY_CLIENT + client), false, true, true));
        }
        Genesis genesis = new Genesis(addresses, grants, keys);
        OrderedState all = new OrderedState(order, genesis, setting.faults(), invariants::executed);
        ReplicaInvariants agreement = new ReplicaInvariants();
        for (PrincipalId id : processIds) {
            ReplicaDisk disk = new ReplicaDisk(genesis, setting.faults());
            disks.put(id, disk);
            simulation.addNode(id, () -> {
                SimulatedReplica replica = new SimulatedReplica(id.number(), order, disk, agreement, random.nextLong());
                boolean isLiar = faulty.contains(id) && !forgetful.contains(id);
                LockingReplica process = new LockingReplica(
                        new LockingReplica.Place(cluster, replicaIds, id),
                        replica,
                        new LogDisk(simulation.records(id)),
                        order.size(),
                        isLiar ? Optional.of(new LogLies(cluster, lies, random.nextLong())) : Optional.empty(),
                        random.nextLong());
                if (isLiar) {
                    return new LyingReplica(process, random.nextLong());
                }
                processes.put(id, process);
                return process;
            });
        }
        return all;
    }

    private HolderKey keyOf(PrincipalId principal) {
        return new HolderKey(setting.random("key of " + principal).nextLong());
    }

    private GenesisKeys keys() {
        SortedMap<PrincipalId, PrincipalKey> named = new TreeMap<>();
        named.put(PrincipalId.client(OPERATOR), operatorKey.named());
        replicaIds.forEach(replica -> named.put(replica, keyOf(replica).named()));
        return new GenesisKeys(cluster, PrincipalId.client(OPERATOR), named);
    }

    private List<Member> spares() {
        return processIds.stream()
                .skip(replicaIds.size())
                .map(id -> new Member(id, keyOf(id).named().encoded(), "spare:1"))
                .toList();
    }

    private Submission.InSession signed(Submission.InSession submission) {
        return submission.signed(cluster, PrincipalId.client(OPERATOR), operatorKey::sign);
    }

    /** Replicas that lose something. */
    private final class Replicas implements Amnesia.Host {
        @Override
        public Set<LogId> openLogs() {
            return LockingWorld.this.openLogs();
        }

        @Override
        public boolean isServing(PrincipalId replica) {
            return Objects.requireNonNull(processes.get(replica)).isServing();
        }

        @Override
        public void loseLogs(PrincipalId replica) {
            if (simulation.isUp(replica)) {
                simulation.crash(replica);
            }
            simulation.records(replica).rollBackTo(new SimulatedRecords());
            simulation.restart(replica);
        }

        @Override
        public void loseAll(PrincipalId replica) {
            Objects.requireNonNull(disks.get(replica)).forget(order.size());
            loseLogs(replica);
        }
    }

    /** Returns a new party. No two of one client draw the same calls. */
    private Party party(PrincipalId self) {
        return new Party(
                simulation,
                self,
                () -> state.now().configuration().replicas(),
                new Random(setting.random("party " + ++parties).nextLong()));
    }

    private LockClient client(int number) {
        return new LockClient(party(PrincipalId.client(number)), cluster, volume, invariants);
    }

    private void setUp() {
        OrderedSession session = new OrderedSession(party(PrincipalId.client(OPERATOR)), 0, this::signed);
        ProtectionPolicy policy = new ProtectionPolicy(1, 2, NODES - 1, BLOCK_BYTES);
        Reply created = must(session, new Command.CreateVolume(VOLUME, VolumeKind.OBJECT, policy, 0, 1, 0));
        volume = ((Reply.VolumeCreated) created).volume();
        for (String bucket : List.of(NAMES, WILD)) {
            must(session, new Command.CreateBucket(bucket, VOLUME, Versioning.LATEST_ONLY, 0));
            must(session, new Command.SetGrant(GRANTED, new Scope.OfBucket(bucket), Rights.ALL));
        }
    }

    private Reply must(OrderedSession session, Command command) {
        List<Reply> replies = new ArrayList<>();
        session.submit(command, replies::add);
        if (!simulation.runUntil(() -> !replies.isEmpty(), SETUP_MILLIS)
                || replies.getFirst() instanceof Reply.Failed) {
            throw new IllegalStateException(command + ": " + replies);
        }
        return replies.getFirst();
    }

    @Override
    public Simulation simulation() {
        return simulation;
    }

    @Override
    public List<PrincipalId> nodes() {
        return processIds;
    }

    @Override
    public Set<PrincipalId> faulty() {
        return Set.copyOf(faulty);
    }

    private PlacementGroup group() {
        PrincipalId node = PrincipalId.node(0);
        Reply reply = Reply.decode(state.now().query(node, new Query.GetMap().encoded()));
        return ((Reply.Map) reply).map().volume(volume).orElseThrow().groups().getFirst();
    }

    private Set<LogId> openLogs() {
        Query query = new Query.ListLocks(Optional.empty(), 1_000);
        Reply reply = Reply.decode(state.now().query(PrincipalId.client(OPERATOR), query.encoded()));
        Set<LogId> open = new TreeSet<>();
        ((Reply.LockList) reply).locks().forEach(lock -> open.add(lock.log()));
        return open;
    }

    @Override
    public void step() {
        work();
        work();
        attackers.forEach(attacker -> {
            if (random.nextInt(attacksOneIn) == 0) {
                attacker.step();
            }
        });
        if (random.nextInt(operatesOneIn) == 0) {
            operator.step();
        }
        if (random.nextInt(KILLS_ONE_IN) == 0) {
            kill(random.nextInt(CLIENTS));
        }
        if (random.nextInt(ALL_CRASH_ONE_IN) == 0) {
            processIds.stream().filter(simulation::isUp).forEach(simulation::crash);
            processIds.forEach(simulation::restart);
        }
        amnesia.step();
    }

    /** A client dies, with its locks. Another one of this name follows. */
    private void kill(int number) {
        clients.get(number).party().die();
        ended += underWay[number];
        underWay[number] = 0;
        clients.set(number, client(number + 1));
    }

    private void work() {
        int number = random.nextInt(CLIENTS);
        boolean isVisiting = random.nextInt(visitsOneIn) == 0;
        String home = isVisiting ? PREFIXES.get(random.nextInt(PREFIXES.size())) : HOMES.get(number);
        // The last client has no home, and visits others only.
        boolean isIdle = !isVisiting && home.isEmpty();
        if (random.nextInt(LOCKS_ONE_IN) == 0 && !isIdle) {
            clients.get(number).lock(wanted(home));
        }
        if (random.nextInt(RELEASES_ONE_IN) == 0) {
            clients.get(number).release(() -> {});
        }
        if (random.nextInt(WILD_ONE_IN) == 0 && !attackers.isEmpty()) {
            wild(number);
        }
        for (int i = random.nextInt(TOGETHER_MAX); i >= 0 && !isIdle && underWay[number] < UNDER_WAY_MAX; i--) {
            request(number, anyRequest(home));
        }
    }

    /** Works among names that faulty clients change: this ends, and nothing else is known of it. */
    private void wild(int number) {
        begun++;
        underWay[number]++;
        LockClient client = clients.get(number);
        client.request(WILD, anyRequest(""), reply -> onEnd(number, client));
    }

    private void onEnd(int number, LockClient client) {
        if (!client.party().isDead()) {
            ended++;
            underWay[number]--;
        }
    }

    private List<Subtree> wanted(String home) {
        Subtree first = new Subtree(NAMES, home);
        Subtree second = new Subtree(NAMES, "c");
        return random.nextInt(8) == 0 && !first.overlaps(second) ? List.of(first, second) : List.of(first);
    }

    private String anyKey(String home) {
        List<String> keys = KEYS.stream().filter(key -> key.startsWith(home)).toList();
        return keys.get(random.nextInt(keys.size()));
    }

    private NameRequest anyRequest(String home) {
        String key = anyKey(home);
        String other = anyKey(home);
        return switch (random.nextInt(12)) {
            case 0, 1, 2 -> new NameRequest.Put(key, "v" + ++values, Condition.NONE);
            case 3 -> new NameRequest.Put(key, "v" + ++values, Condition.IF_ABSENT);
            case 4 -> new NameRequest.Put(key, "v" + ++values, Condition.ifVersion(lastVersion));
            case 5 -> new NameRequest.Delete(key);
            case 6 -> key.equals(other) ? new NameRequest.Delete(key) : new NameRequest.Rename(key, other);
            case 7 -> key.equals(other) ? new NameRequest.Get(key) : new NameRequest.Copy(key, other);
            case 8 -> new NameRequest.ListNames(home);
            default -> new NameRequest.Get(key);
        };
    }

    private void request(int number, NameRequest request) {
        begun++;
        underWay[number]++;
        LockClient client = clients.get(number);
        NameHistory.Pending pending = history.invoke(client.party().self().toString(), request);
        client.request(NAMES, request, reply -> {
            onEnd(number, client);
            reply.ifPresent(known -> {
                pending.complete(known);
                if (known instanceof Reply.ObjectStored stored) {
                    lastVersion = stored.version();
                    invariants.made(lastVersion);
                }
            });
        });
    }

    @Override
    public void healed() {
        if (!simulation.runUntil(() -> openRounds().isEmpty(), ROUNDS_MILLIS)) {
            throw LockInvariants.ROUND_ENDS.violation(
                    "", openRounds() + " are open " + ROUNDS_MILLIS + " ms after all was well");
        }
    }

    private List<LockView.OpenLog> openRounds() {
        return processIds.stream()
                .flatMap(id -> state.now().locks().fetchesOwed(id).stream())
                .distinct()
                .toList();
    }

    @Override
    public boolean isIdle() {
        return begun == ended && !operator.isAtWork();
    }

    @Override
    public void check() {
        state.now();
    }

    @Override
    public void readEverything() {
        for (int number = 0; number < CLIENTS; number++) {
            clients.get(number).release(() -> {});
            request(number, new NameRequest.ListNames(""));
        }
        KEYS.forEach(key -> request(0, new NameRequest.Get(key)));
    }

    @Override
    public void checkAtEnd() {
        NameHistory.Verdict verdict = history.judge();
        isUndecided = verdict instanceof NameHistory.Verdict.Undecided;
        if (verdict instanceof NameHistory.Verdict.Violated violated) {
            throw Invariant.LINEARIZABLE.violation("", violated.explanation());
        }
    }

    @Override
    public long completed() {
        return ended;
    }

    /** Returns how many stores of log servers were lost. */
    public long losses() {
        return amnesia.losses();
    }

    /** Returns the number of the configuration of replicas. */
    public long configuration() {
        return state.now().configuration().number();
    }

    /** Returns how many changes an operator has made. */
    public long changes() {
        return operator.changes();
    }

    /** Returns whether the history allows too many orders to be judged. */
    public boolean isUndecided() {
        return isUndecided;
    }

    /** Returns how many entries were acknowledged by log servers. */
    public long acknowledged() {
        return invariants.acknowledged();
    }

    /** Returns how many of them were compared with their replay. */
    public long compared() {
        return invariants.checked();
    }
}
