package io.bulwark.simulation.locking;

import io.bulwark.protocol.cluster.NodeAddress;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.VolumeKind;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.locking.LockView;
import io.bulwark.protocol.locking.LockingCodec;
import io.bulwark.protocol.locking.LogServer;
import io.bulwark.protocol.locking.Subtree;
import io.bulwark.protocol.metadata.Command;
import io.bulwark.protocol.metadata.Condition;
import io.bulwark.protocol.metadata.Genesis;
import io.bulwark.protocol.metadata.GenesisKeys;
import io.bulwark.protocol.metadata.Reply;
import io.bulwark.protocol.metadata.Versioning;
import io.bulwark.protocol.ordering.OrderingCodec;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.simulation.campaign.Invariant;
import io.bulwark.simulation.campaign.Setting;
import io.bulwark.simulation.campaign.SimulatedWorld;
import io.bulwark.simulation.engine.Simulation;
import io.bulwark.simulation.metadata.CommandOrder;
import io.bulwark.simulation.metadata.LyingReplica;
import io.bulwark.simulation.metadata.ReplicaDisk;
import io.bulwark.simulation.metadata.ReplicaInvariants;
import io.bulwark.simulation.metadata.SimulatedReplica;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;

/**
 * Replicas with log servers, and correct clients that put, delete, rename, copy, get and list the same few names, with
 * locks and without. Replies must fit into one order of all requests.
 */
public final class LockingWorld implements SimulatedWorld {
    private static final int CLIENTS = 3;
    private static final String NAMES = "names";
    private static final List<String> KEYS = List.of("a/1", "a/2", "b/1", "b/2", "c");
    private static final List<String> PREFIXES = List.of("a/", "b/", "", "a/1");
    private static final List<String> HOMES = List.of("a/", "b/", "");
    private static final int NODES = 4;
    private static final int BLOCK_BYTES = 512;
    private static final int UNDER_WAY_MAX = 4;
    private static final int LOCKS_ONE_IN = 4;
    private static final int RELEASES_ONE_IN = 40;
    private static final int TOGETHER_MAX = 3;
    private static final long SETUP_MILLIS = 600_000;

    /** Bound of the time in which all rounds end, once all is well: see docs/protocols/locking.md. */
    private static final long ROUNDS_MILLIS = 20_000;

    private final Setting setting;
    private final Random random;
    private final Simulation simulation;
    private final CommandOrder order;
    private final List<PrincipalId> replicaIds;
    private final Set<PrincipalId> faulty = new TreeSet<>();
    private final Map<PrincipalId, SimulatedReplica> replicas = new TreeMap<>();
    private final LockInvariants invariants = new LockInvariants();
    private final LogLies.Shared lies = new LogLies.Shared();
    private final Bytes cluster = GenesisKeys.NONE.cluster();
    private final List<LockClient> clients = new ArrayList<>();
    private final NameHistory history = new NameHistory();

    /** Clients stay at home, except one time in so many. */
    private final int visitsOneIn;

    private final int[] underWay = new int[CLIENTS];
    private boolean isUndecided;
    private int volume;
    private int values;
    private long lastVersion = 1;
    private long begun;
    private long ended;

    LockingWorld(Setting setting) {
        this.setting = setting;
        random = new Random(setting.random("locking").nextLong());
        visitsOneIn = 2 + random.nextInt(40);
        simulation = new Simulation(
                setting.seed(),
                setting.network(),
                List.of(new OrderingCodec(), new LockingCodec()),
                (node, question) -> Optional.empty());
        order = new CommandOrder(simulation::nowMillis);
        replicaIds = IntStream.range(0, 3 * setting.faults() + 1)
                .mapToObj(PrincipalId::replica)
                .toList();
        while (faulty.size() < setting.faults()) {
            faulty.add(replicaIds.get(random.nextInt(replicaIds.size())));
        }
        addReplicas();
        setUp();
        for (int number = 1; number <= CLIENTS; number++) {
            clients.add(client(number));
        }
    }

    private void addReplicas() {
        List<NodeAddress> addresses = IntStream.range(0, NODES)
                .mapToObj(node -> new NodeAddress(node, "node-" + node, 1))
                .toList();
        List<Genesis.Grant> grants = IntStream.rangeClosed(1, CLIENTS)
                .mapToObj(client -> Genesis.Grant.all(PrincipalId.client(client)))
                .toList();
        Genesis genesis = new Genesis(addresses, grants);
        ReplicaInvariants agreement = new ReplicaInvariants(invariants::executed);
        for (PrincipalId id : replicaIds) {
            ReplicaDisk disk = new ReplicaDisk(genesis, setting.faults());
            simulation.addNode(id, () -> {
                boolean isLiar = faulty.contains(id);
                SimulatedReplica replica =
                        new SimulatedReplica(id.number(), order, disk, agreement, random.nextLong());
                LockingReplica process = new LockingReplica(
                        new LogServer.Config(cluster, replicaIds, id, 0),
                        replica,
                        new LogDisk(simulation.records(id)),
                        order.size(),
                        isLiar ? Optional.of(new LogLies(cluster, lies, random.nextLong())) : Optional.empty(),
                        random.nextLong());
                if (isLiar) {
                    return new LyingReplica(process, random.nextLong());
                }
                replicas.put(id, replica);
                return process;
            });
        }
    }

    /** @param purpose no two parties of one client may draw the same calls */
    private Party party(int number, String purpose) {
        return new Party(
                simulation,
                PrincipalId.client(number),
                replicaIds,
                new Random(setting.random(purpose + number).nextLong()));
    }

    private LockClient client(int number) {
        return new LockClient(party(number, "client "), cluster, volume, invariants);
    }

    private void setUp() {
        OrderedSession session = new OrderedSession(party(1, "set up "), 0);
        ProtectionPolicy policy = new ProtectionPolicy(1, 2, NODES, BLOCK_BYTES);
        Reply created = must(session, new Command.CreateVolume("volume", VolumeKind.OBJECT, policy, 0, 1, 0));
        volume = ((Reply.VolumeCreated) created).volume();
        must(session, new Command.CreateBucket(NAMES, "volume", Versioning.LATEST_ONLY, 0));
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

    private SimulatedReplica mostAdvanced() {
        return replicas.values().stream()
                .max(Comparator.comparingInt(SimulatedReplica::executed))
                .orElseThrow();
    }

    @Override
    public Simulation simulation() {
        return simulation;
    }

    @Override
    public List<PrincipalId> nodes() {
        return replicaIds;
    }

    @Override
    public Set<PrincipalId> faulty() {
        return Set.copyOf(faulty);
    }

    @Override
    public void step() {
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
        for (int i = random.nextInt(TOGETHER_MAX); i >= 0 && !isIdle && underWay[number] < UNDER_WAY_MAX; i--) {
            request(number, anyRequest(home));
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
            ended++;
            underWay[number]--;
            reply.ifPresent(known -> {
                pending.complete(known);
                if (known instanceof Reply.ObjectStored stored) {
                    lastVersion = stored.version();
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
        return replicaIds.stream()
                .flatMap(id -> mostAdvanced().machine().locks().fetchesOwed(id).stream())
                .distinct()
                .toList();
    }

    @Override
    public boolean isIdle() {
        return begun == ended;
    }

    @Override
    public void check() {
        // Replies and logs are judged when they come.
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
