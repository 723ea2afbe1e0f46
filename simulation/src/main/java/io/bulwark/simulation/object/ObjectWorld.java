package io.bulwark.simulation.object;

import io.bulwark.protocol.bucket.ExtentFailure;
import io.bulwark.protocol.bucket.GetFailure;
import io.bulwark.protocol.bucket.ObjectPut;
import io.bulwark.protocol.bucket.ObjectVersion;
import io.bulwark.protocol.bucket.PutOutcome;
import io.bulwark.protocol.cluster.NodeAddress;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.Protocol;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.cluster.VolumeKind;
import io.bulwark.protocol.completion.CompletionPace;
import io.bulwark.protocol.effect.ProtocolServer;
import io.bulwark.protocol.extent.ExtentCodec;
import io.bulwark.protocol.extent.ExtentLimits;
import io.bulwark.protocol.extent.ExtentServer;
import io.bulwark.protocol.extent.ExtentTiming;
import io.bulwark.protocol.id.BlockRange;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKind;
import io.bulwark.protocol.metadata.Command;
import io.bulwark.protocol.metadata.Condition;
import io.bulwark.protocol.metadata.Genesis;
import io.bulwark.protocol.metadata.Query;
import io.bulwark.protocol.metadata.Reply;
import io.bulwark.protocol.metadata.Versioning;
import io.bulwark.protocol.object.ObjectLock;
import io.bulwark.protocol.ordering.OrderingCodec;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.simulation.campaign.Invariant;
import io.bulwark.simulation.campaign.Setting;
import io.bulwark.simulation.campaign.SimulatedWorld;
import io.bulwark.simulation.engine.Simulation;
import io.bulwark.simulation.history.History;
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
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * Storage nodes and replicas, f of each lying. Correct clients put, get, list, rename and delete objects in a bucket
 * with versioning and in one without; in half of the runs some of them come in parts, or are slices of others; faulty clients run beside them. Agreed time runs fast, so that sessions expire
 * and grace periods end within a run.
 */
public final class ObjectWorld implements SimulatedWorld {
    static final int VOLUME = 1;
    private static final int BLOCK_BYTES = 512;
    private static final int CLIENTS = 3;
    private static final int CLOSES_ONE_IN = 15;
    private static final int CHECKS_ONE_IN = 8;
    private static final int DISKS_ONE_IN = 64;
    private static final int PARTWISE_ONE_IN = 4;
    private static final int FIRST_FAULTY_CLIENT = 20;
    private static final long SETUP_MILLIS = 600_000;
    /** Enough for 3,000 looks of a node at the slowest pace. */
    private static final int QUIET_ROUNDS = 120;

    private static final long QUIET_ROUND_MILLIS = 5_000;
    private static final int SPEED_WHEN_QUIET = 60;

    private static final ExtentTiming TIMING = new ExtentTiming(150, 400, 15_000, 1_000);
    private static final List<String> BUCKETS = List.of("latest", "versions");
    private static final String SWITCHED = "switched";
    private static final String VAULT = "vault";

    private final Setting setting;
    private final ObjectParts parts;
    private final Random random;
    private final Simulation simulation;
    private final CommandOrder order;
    private final Set<PrincipalId> faulty = new TreeSet<>();
    private final Set<PrincipalId> all = new TreeSet<>();
    private final Map<PrincipalId, SimulatedReplica> replicas = new TreeMap<>();
    private final Contents contents;
    private final ObjectInvariants invariants;
    private final CompositionChecks compositions;
    private final ReferencedExtents extents;
    private final CompletionPace pace;
    private final List<ObjectClient> clients = new ArrayList<>();
    private final List<ClientNames> own = new ArrayList<>();
    private final List<VersionedNames> versioned = new ArrayList<>();
    private final FaultyClients attackers;
    private final SharedNames shared;
    /** Empty if no bucket records events. */
    private final Optional<EventDelivery> events;

    /** Changes of the holders; empty if the holders stay the same. */
    private final HeldExtents held;

    private final DeliveredExtents deliveries;

    private final Optional<HolderChanges> changes;

    /** Changes of the policy; empty if it stays the same. */
    private final Optional<PolicyChanges> policies;

    private final Volume created;
    private final int replicaCount;
    private final ProtectionPolicy policy;
    private final int nodes;
    /** True if objects also come in parts and as slices of others. */
    private final boolean partwise;

    /** True if a bucket has object lock. What may be locked is not refilled. */
    private final boolean locks;

    private boolean quiet;
    private boolean settled;
    private long begun;
    private long ended;
    private long valuesRead;

    /** Result of reading a name. */
    sealed interface ReadResult {
        /** All bytes of this value were there. */
        record Value(String name, long version) implements ReadResult {}

        record Nothing() implements ReadResult {}

        /** It says nothing: too little was up, or the version was deleted meanwhile. */
        record Failed(String why) implements ReadResult {}
    }

    ObjectWorld(Setting setting, ObjectParts parts, Protocol protocol, boolean replacing, boolean changesPolicy) {
        this.setting = setting;
        this.locks = !changesPolicy;
        this.held = new HeldExtents(parts);
        this.parts = held;
        this.random = new Random(setting.random("objects").nextLong());
        this.contents = new Contents(BLOCK_BYTES, replacing, random);
        this.simulation = new Simulation(
                setting.seed(),
                setting.network(),
                List.of(new ExtentCodec(), new OrderingCodec()),
                (_, _) -> Optional.empty());
        this.order = new CommandOrder(simulation::nowMillis);
        this.partwise = setting.random("in parts").nextInt(4) < 2;
        this.replicaCount = 3 * setting.faults() + 1;
        Random chooser = new Random(setting.random("policy").nextLong());
        this.policy = setting.policy(protocol, chooser, BLOCK_BYTES);
        this.nodes = Math.max(setting.nodes(), policy.n())
                + (replacing ? 1 + chooser.nextInt(2) : 0)
                + (changesPolicy ? 2 : 0);
        this.invariants = new ObjectInvariants(() -> mostAdvanced().machine());
        this.compositions = new CompositionChecks(() -> mostAdvanced().machine(), invariants);
        // In half of the runs with changes so slow that holders change again before a new one is done.
        this.pace = new CompletionPace(400, 8, replacing && chooser.nextBoolean() ? 5 : 500, 1_000);
        // A slot whose new holder is not whole yet counts among the f, so that fewer nodes may lie in some runs.
        chooseFaulty(replacing ? chooser.nextInt(setting.faults() + 1) : setting.faults());
        this.extents = new ReferencedExtents(faulty, FIRST_FAULTY_CLIENT, simulation::records);
        addReplicas();
        addNodes(replacing);
        this.deliveries = new DeliveredExtents(
                faulty, IntStream.range(0, nodes).mapToObj(PrincipalId::node).toList(), simulation::records);
        for (int number = 1; number <= CLIENTS; number++) {
            ClientTraits habits = ClientTraits.any(setting.random("habits " + number), BLOCK_BYTES)
                    .withInlineMax(setting.random("inline " + number), 2 * BLOCK_BYTES);
            clients.add(new ObjectClient(simulation, PrincipalId.client(number), calls(number), random, habits, parts));
        }
        this.created = setUp();
        this.changes = replacing || changesPolicy ? Optional.of(holderChanges(replacing)) : Optional.empty();
        this.policies = changesPolicy ? Optional.of(policyOperator()) : Optional.empty();
        order.setSpeed(1 + random.nextInt(3) * random.nextInt(30));
        for (ObjectClient client : clients) {
            simulation.start(client.self(), new SessionRenewal(client));
            own.add(new ClientNames(this, client, BUCKETS.get(random.nextInt(BUCKETS.size())), random));
        }
        Random versions = new Random(setting.random("versions").nextLong());
        versioned.add(new VersionedNames(this, clients.getFirst(), SWITCHED, Versioning.LATEST_ONLY, false, versions));
        versioned.add(new VersionedNames(this, clients.getLast(), VAULT, Versioning.KEEP_ALL, locks, versions));
        this.shared = new SharedNames(this, clients, BUCKETS, random);
        this.events = isRecording()
                ? Optional.of(new EventDelivery(
                        this,
                        clients,
                        BUCKETS.getFirst(),
                        new Random(setting.random("delivery").nextLong())))
                : Optional.empty();
        this.attackers = attackers(replacing);
    }

    private HolderChanges holderChanges(boolean replacing) {
        HolderChanges made = new HolderChanges(
                simulation,
                calls(HolderChanges.OPERATOR.number()),
                created,
                () -> mostAdvanced().machine(),
                faulty,
                nodes,
                new Random(setting.random("changes").nextLong()));
        return replacing ? made : made.keepHolders();
    }

    private PolicyChanges policyOperator() {
        Random chooser = new Random(setting.random("policy changes").nextLong());
        int liars = (int) faulty.stream()
                .filter(each -> each.kind() == PrincipalKind.NODE)
                .count();
        ObjectClient operator = new ObjectClient(
                simulation,
                HolderChanges.OPERATOR,
                calls(HolderChanges.OPERATOR.number() + 1),
                chooser,
                ClientTraits.plain(),
                parts);
        return new PolicyChanges(
                operator, this::volume, changes.orElseThrow()::look, liars, setting.faults(), nodes, chooser);
    }

    private boolean isRecording() {
        return setting.random("events").nextBoolean();
    }

    private FaultyClients attackers(boolean replacing) {
        List<FaultyClient> all = new ArrayList<>();
        for (int number = 0; number < setting.byzantineClients(); number++) {
            PrincipalId self = PrincipalId.client(FIRST_FAULTY_CLIENT + number);
            FaultyClient attacker = new FaultyClient(
                    simulation,
                    this::volume,
                    BUCKETS.getFirst(),
                    self,
                    calls(self.number()),
                    new Random(random.nextLong()),
                    replacing);
            all.add(attacker);
            simulation.observe(attacker);
        }
        boolean revokes = !all.isEmpty() && setting.random("revocations").nextBoolean();
        Optional<RevokingOperator> revoking = revokes ? Optional.of(revoking(all)) : Optional.empty();
        return new FaultyClients(this, all, clients, BUCKETS.getFirst(), invariants, revoking, random);
    }

    private RevokingOperator revoking(List<FaultyClient> all) {
        return new RevokingOperator(
                this,
                plain(HolderChanges.OPERATOR),
                plain(RevokingOperator.BYSTANDER),
                all,
                BUCKETS.getFirst(),
                this::mostAdvanced,
                invariants,
                new Random(setting.random("revoking").nextLong()));
    }

    private ObjectClient plain(PrincipalId self) {
        Random own = new Random(setting.random("plain " + self).nextLong());
        return new ObjectClient(
                simulation, self, calls(100 + self.number()), own, ClientTraits.plain(), ObjectParts.PRODUCTION);
    }

    /** Has clients learn the map as it is now. */
    void look() {
        changes.ifPresent(HolderChanges::look);
    }

    /** Returns the volume as clients know it. */
    Volume volume() {
        return changes.map(HolderChanges::known).orElse(created);
    }

    private void chooseFaulty(int lying) {
        while (faulty.size() < lying) {
            faulty.add(PrincipalId.node(random.nextInt(nodes)));
        }
        while (faulty.size() < lying + setting.faults()) {
            faulty.add(PrincipalId.replica(random.nextInt(replicaCount)));
        }
    }

    private Replicas calls(int purpose) {
        return Replicas.of(parts.replicasHeard(replicaCount), 10_000_000, setting.random("calls " + purpose));
    }

    private void addReplicas() {
        List<NodeAddress> addresses = new ArrayList<>();
        for (int node = 0; node < nodes; node++) {
            addresses.add(new NodeAddress(node, "node-" + node, 1));
        }
        List<Genesis.Grant> grants = new ArrayList<>();
        for (int client = 1; client <= CLIENTS; client++) {
            grants.add(Genesis.Grant.all(PrincipalId.client(client)));
        }
        grants.add(Genesis.Grant.all(RevokingOperator.BYSTANDER));
        grants.add(Genesis.Grant.all(HolderChanges.OPERATOR));
        for (int client = 0; client < setting.byzantineClients(); client++) {
            grants.add(new Genesis.Grant(PrincipalId.client(FIRST_FAULTY_CLIENT + client), false, true, true));
        }
        Genesis genesis = new Genesis(addresses, grants);
        ReplicaInvariants agreement = new ReplicaInvariants();
        for (int number = 0; number < replicaCount; number++) {
            PrincipalId id = PrincipalId.replica(number);
            ReplicaDisk disk = new ReplicaDisk(genesis, setting.faults());
            all.add(id);
            simulation.addNode(id, () -> {
                SimulatedReplica replica = new SimulatedReplica(id.number(), order, disk, agreement, random.nextLong());
                if (faulty.contains(id)) {
                    return new LyingReplica(replica, random.nextLong());
                }
                replicas.put(id, replica);
                return replica;
            });
        }
    }

    private void addNodes(boolean replacing) {
        ExtentLimits limits = new ExtentLimits(1L << 30, 8, 1, 1L << 20, TIMING);
        for (int node = 0; node < nodes; node++) {
            int number = node;
            PrincipalId id = PrincipalId.node(node);
            all.add(id);
            simulation.addNode(id, () -> {
                boolean lies = faulty.contains(id);
                ProtocolServer server = lies ? new ExtentServer(number, limits) : parts.extents(number, limits);
                return new StorageParty(
                        number,
                        lies ? new LyingStorage(server, random.nextLong()) : server,
                        calls(1_000 + number + random.nextInt(1_000_000)),
                        new Random(random.nextLong()),
                        pace,
                        TIMING,
                        lies && replacing && random.nextBoolean(),
                        fact -> {
                            if (!lies) {
                                invariants.told(VOLUME, fact);
                            }
                        });
            });
        }
    }

    private Volume setUp() {
        Replicas heard = Replicas.of(replicaCount, 10_000_000, setting.random("set up"));
        ObjectClient client = new ObjectClient(
                simulation, PrincipalId.client(1), heard, random, ClientTraits.plain(), ObjectParts.PRODUCTION);
        must(client, new Command.CreateVolume("volume", VolumeKind.OBJECT, policy, 0, 1 + random.nextInt(3), 0));
        must(client, new Command.CreateBucket(BUCKETS.getFirst(), "volume", Versioning.LATEST_ONLY, 0));
        must(client, new Command.CreateBucket(BUCKETS.getLast(), "volume", Versioning.KEEP_ALL, 0));
        must(client, new Command.CreateBucket(SWITCHED, "volume", Versioning.LATEST_ONLY, 0));
        must(client, new Command.CreateBucket(VAULT, "volume", Versioning.KEEP_ALL, 0, locks));
        if (isRecording()) {
            must(client, EventDelivery.record(BUCKETS.getFirst()));
        }
        List<Reply> replies = new ArrayList<>();
        client.query(new Query.GetMap(), reply -> reply.ifPresent(replies::add));
        if (!simulation.runUntil(() -> !replies.isEmpty(), SETUP_MILLIS)
                || !(replies.getFirst() instanceof Reply.Map(var map))) {
            throw new IllegalStateException("no map: " + replies);
        }
        return map.volume(VOLUME).orElseThrow();
    }

    private void must(ObjectClient client, Command command) {
        List<Optional<Reply>> replies = new ArrayList<>();
        client.execute(command, replies::add);
        if (!simulation.runUntil(() -> !replies.isEmpty(), SETUP_MILLIS)
                || replies.getFirst().orElse(null) instanceof Reply.Failed) {
            throw new IllegalStateException(command + ": " + replies);
        }
    }

    private SimulatedReplica mostAdvanced() {
        return replicas.values().stream()
                .max(Comparator.comparingInt(SimulatedReplica::executed))
                .orElseThrow();
    }

    Contents contents() {
        return contents;
    }

    /** Returns whether objects also come in parts and as slices of others. */
    boolean isPartwise() {
        return partwise;
    }

    void begins() {
        begun++;
    }

    void ends() {
        ended++;
    }

    /** Is called for each change of a shared name that was acknowledged. */
    void changed(String bucket, String key, long version, boolean isRemoval) {
        events.ifPresent(all -> all.changed(bucket, key, version, isRemoval));
    }

    void put(
            ObjectClient client,
            String bucket,
            String key,
            Condition condition,
            String value,
            Consumer<PutOutcome> then) {
        put(client, bucket, key, condition, ObjectLock.NONE, value, then);
    }

    void put(
            ObjectClient client,
            String bucket,
            String key,
            Condition condition,
            ObjectLock lock,
            String value,
            Consumer<PutOutcome> then) {
        if (partwise && lock.isNone() && random.nextInt(PARTWISE_ONE_IN) == 0) {
            new PartwisePut(client, this::volume, bucket, key, random).put(condition, value, then);
            return;
        }
        putWhole(client, bucket, key, condition, lock, value, then);
    }

    /** Puts an object in one piece: a put in parts is given up at times. */
    void putWhole(
            ObjectClient client,
            String bucket,
            String key,
            Condition condition,
            ObjectLock lock,
            String value,
            Consumer<PutOutcome> then) {
        client.put(
                volume(),
                new ObjectPut.Target(bucket, key, condition, Contents.attributes(value), lock),
                Contents.of(value),
                random.nextBoolean(),
                then);
    }

    /** Reads a name whose objects are all of correct clients: all of the object, or any part of it. */
    void read(ObjectClient client, String bucket, String key, Consumer<ReadResult> then) {
        read(client, bucket, key, 0, then);
    }

    void read(ObjectClient client, String bucket, String key, long version, Consumer<ReadResult> then) {
        client.query(new Query.FindObject(bucket, key, version), reply -> {
            switch (reply.orElse(null)) {
                case Reply.ObjectFound found ->
                    readBytes(client, ObjectVersion.of(bucket, key, found), Contents.name(found), then);
                case Reply.Failed _ -> then.accept(new ReadResult.Nothing());
                case null, default -> then.accept(new ReadResult.Failed("no reply"));
            }
        });
    }

    private void readBytes(ObjectClient client, ObjectVersion object, String value, Consumer<ReadResult> then) {
        String name = object.bucket() + "/" + object.key();
        Bytes content = Contents.of(value);
        boolean whole = random.nextInt(3) != 0;
        int offset = whole ? 0 : random.nextInt(content.length() + 10);
        int length = whole ? Integer.MAX_VALUE : random.nextInt(2 * BLOCK_BYTES);
        int from = Math.min(offset, content.length());
        Bytes expected = content.slice(from, Math.min(length, content.length() - from));
        client.get(volume(), object, offset, length, got -> {
            switch (got) {
                case ObjectClient.RangeResult.Content(Bytes bytes)
                when bytes.equals(expected) -> {
                    valuesRead++;
                    then.accept(new ReadResult.Value(value, object.version()));
                }
                case ObjectClient.RangeResult.Content(Bytes bytes) ->
                    throw ObjectInvariants.WHOLE_OR_ABSENT.violation(
                            name, bytes.length() + " bytes that are not those of " + value);
                case ObjectClient.RangeResult.Failed(GetFailure failure) -> {
                    requireExcuse(name, value, failure);
                    then.accept(new ReadResult.Failed(failure.toString()));
                }
                case ObjectClient.RangeResult.Unknown _ -> then.accept(new ReadResult.Failed("no reply"));
            }
        });
    }

    private void requireExcuse(String name, String value, GetFailure failure) {
        boolean deleted = failure instanceof GetFailure.Changed || failure instanceof GetFailure.Gone;
        boolean unavailable = failure instanceof GetFailure.Extent(ExtentFailure extent)
                && (extent.reason() == ExtentFailure.Reason.UNAVAILABLE
                        || extent.reason() == ExtentFailure.Reason.TOO_FEW_HOLDERS
                        || (changes.isPresent() && extent.reason() == ExtentFailure.Reason.STALE_EPOCH));
        if (!deleted && !(unavailable && !quiet)) {
            throw (quiet ? ObjectInvariants.STAYS_READABLE : ObjectInvariants.WHOLE_OR_ABSENT)
                    .violation(name, value + ": " + failure);
        }
    }

    @Override
    public Simulation simulation() {
        return simulation;
    }

    @Override
    public List<PrincipalId> nodes() {
        return List.copyOf(all);
    }

    @Override
    public Set<PrincipalId> faulty() {
        return Set.copyOf(faulty);
    }

    @Override
    public void step() {
        changes.ifPresent(HolderChanges::step);
        policies.ifPresent(PolicyChanges::step);
        shared.step();
        events.ifPresent(EventDelivery::step);
        own.get(random.nextInt(own.size())).step();
        versioned.get(random.nextInt(versioned.size())).step();
        if (random.nextInt(CLOSES_ONE_IN) == 0) {
            clients.get(random.nextInt(CLIENTS)).close();
        }
        attackers.step();
    }

    @Override
    public void healed() {
        changes.ifPresent(HolderChanges::settle);
        checkKept();
        attackers.healed();
    }

    private void checkKept() {
        changes.ifPresent(all -> extents.checkKept(all.now(), invariants.inodes(VOLUME)));
    }

    @Override
    public boolean isIdle() {
        return begun == ended && policies.map(PolicyChanges::isIdle).orElse(true);
    }

    @Override
    public void check() {
        // Reads are judged when they happen. This check covers content that no client reads: it must be readable.
        if (changes.isPresent() && random.nextInt(CHECKS_ONE_IN) == 0) {
            checkKept();
        }
        if (partwise && random.nextInt(CHECKS_ONE_IN) == 0) {
            compositions.check(VOLUME, BUCKETS);
        }
        if (policy.isDelivered() && random.nextInt(DISKS_ONE_IN) == 0) {
            deliveries.look();
        }
        attackers.check();
        held.look();
    }

    @Override
    public void readEverything() {
        quiet = true;
        clients.forEach(client -> client.habits().setPatient());
        shared.readAll();
        own.forEach(ClientNames::readAll);
        versioned.forEach(VersionedNames::readAll);
        attackers.readAll();
    }

    @Override
    public void checkAtEnd() {
        clients.forEach(ObjectClient::close);
        policies.ifPresent(PolicyChanges::close);
        order.setSpeed(SPEED_WHEN_QUIET);
        awaitReturn();
        awaitDelivery();
        settled = policy.checksFragments();
        invariants.checkFreed(volume().id());
        compositions.check(VOLUME, BUCKETS);
        checkHeld();
        readEverything();
        events.ifPresent(EventDelivery::drain);
        if (!simulation.runUntil(this::isIdle, QUIET_ROUNDS * QUIET_ROUND_MILLIS)) {
            throw Invariant.OPERATIONS_END.violation("", "reading once all was quiet");
        }
        clients.forEach(ObjectInvariants::checkRoom);
        events.ifPresent(EventDelivery::check);
    }

    /** Returns the number of events that were delivered. */
    public int eventsHeard() {
        return events.map(EventDelivery::heard).orElse(0);
    }

    @Override
    public History history() {
        return shared.history();
    }

    /** Includes what readers got of faulty writers. */
    private void checkHeld() {
        List<BlockRange> named = invariants.references(VOLUME);
        held.forEach((block, pin) -> {
            if (named.stream().anyMatch(range -> range.contains(block))) {
                extents.requireReadable(volume(), block, pin);
            }
        });
    }

    /** Returns whether nodes have completed all that is referenced, and all nodes except liars answer. */
    boolean isSettled() {
        return settled;
    }

    /** Sessions expire, graces end, completion goes round. */
    private void awaitReturn() {
        String left = leftOver();
        String missing = extents.missing(volume(), invariants.inodes(VOLUME));
        for (int round = 0; round < QUIET_ROUNDS && !(left + missing).isEmpty(); round++) {
            simulation.runFor(QUIET_ROUND_MILLIS);
            left = leftOver();
            missing = extents.missing(volume(), invariants.inodes(VOLUME));
        }
        if (!left.isEmpty()) {
            throw ObjectInvariants.STORAGE_RETURNS.violation("", left);
        }
        if (!missing.isEmpty()) {
            throw ReferencedExtents.COMPLETED.violation("", missing);
        }
    }

    /** Nodes ask each other for echo and ready. */
    private void awaitDelivery() {
        String missing = policy.isDelivered() ? deliveries.undelivered(volume(), invariants.references(VOLUME)) : "";
        for (int round = 0; round < QUIET_ROUNDS && !missing.isEmpty(); round++) {
            simulation.runFor(QUIET_ROUND_MILLIS);
            missing = deliveries.undelivered(volume(), invariants.references(VOLUME));
        }
        if (!missing.isEmpty()) {
            throw DeliveredExtents.ALL_OR_NONE.violation("", missing);
        }
    }

    /** Returns the number of extents that a correct node has delivered among nodes. */
    public int delivered() {
        return deliveries.count();
    }

    /** Returns why the storage still holds more than is referenced; empty if it does not. */
    private String leftOver() {
        return all.stream()
                .filter(id -> !faulty.contains(id) && !replicas.containsKey(id))
                .map(id -> invariants.leftOver(id, VOLUME, simulation.records(id)))
                .filter(left -> !left.isEmpty())
                .findFirst()
                .orElse("");
    }

    /** Returns how many reads of correct clients returned the bytes that a correct client had put. */
    public long valuesRead() {
        return valuesRead;
    }

    /** Returns the number of epochs that have opened beyond the first ones. */
    public long epochsOpened() {
        return changes.map(HolderChanges::opened).orElse(0L);
    }

    /** Returns the number of inodes that were rewritten under another policy. */
    public long refilled() {
        return policies.map(PolicyChanges::refilled).orElse(0L);
    }

    /** Returns the number of changes of the policy that were executed. */
    public int policyChanges() {
        return volume().generation();
    }

    /** Returns the number of revoked faulty clients. */
    public int revoked() {
        return attackers.revoked();
    }

    @Override
    public long completed() {
        return ended;
    }
}
