package io.bulwark.simulation.extent;

import io.bulwark.protocol.cluster.Fact;
import io.bulwark.protocol.cluster.Protocol;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.effect.ClientOperation;
import io.bulwark.protocol.extent.ExtentCodec;
import io.bulwark.protocol.extent.ExtentLimits;
import io.bulwark.protocol.extent.ExtentTiming;
import io.bulwark.protocol.extent.ReadOutcome;
import io.bulwark.protocol.extent.WriteOutcome;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.BlockRange;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.simulation.byzantine.Collusion;
import io.bulwark.simulation.byzantine.Liar;
import io.bulwark.simulation.campaign.Setting;
import io.bulwark.simulation.campaign.SimulatedWorld;
import io.bulwark.simulation.engine.Simulation;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/** Extents that correct clients write, read, reference and free, and that f nodes and some clients attack. */
public final class ExtentWorld implements SimulatedWorld {
    private static final int WRITERS = 3;
    private static final int ATTACKERS_FROM = 20;
    private static final List<PrincipalId> READERS = List.of(PrincipalId.client(9), PrincipalId.client(10));
    private static final ExtentTiming PATIENT = new ExtentTiming(150, 400, 10_000_000, 5_000);
    /** Timing of reads of a faulty client's extents, which may not exist at all. */
    private static final ExtentTiming IMPATIENT = PATIENT.withDeadlineMillis(20_000);

    /** An extent of a correct client, complete. */
    private static final class Extent {
        final BlockId block;
        final Bytes pin;
        final Bytes padded;
        boolean referenced;
        boolean freed;

        Extent(BlockId block, Bytes pin, Bytes padded) {
            this.block = block;
            this.pin = pin;
            this.padded = padded;
        }
    }

    private final Random random;
    private final ExtentParts parts;
    private final ExtentVolume volume;
    private final Simulation simulation;
    private final List<PrincipalId> nodes = new ArrayList<>();
    private final Set<PrincipalId> faulty = new HashSet<>();
    private final ExtentInvariants invariants;
    private final List<ExtentAttacker> attackers = new ArrayList<>();
    private final List<Extent> extents = new ArrayList<>();
    private final List<BlockId> begun = new ArrayList<>();
    private final List<Fact> facts = new ArrayList<>();
    private final List<BooleanSupplier> pending = new ArrayList<>();
    private final long[] sessions = new long[WRITERS + 1];
    private final int[] writing = new int[WRITERS + 1];
    /** Chosen apart from the workload. */
    private final Random epochs;

    private final int epochEvery;
    /** True once every correct node knows which extents were freed. */
    private boolean toldAll;

    private long completed;

    ExtentWorld(Setting setting, ExtentParts parts, Protocol protocol) {
        this.parts = parts;
        this.random = new Random(setting.random("extent").nextLong());
        this.volume = new ExtentVolume(setting, protocol);
        this.epochs = new Random(setting.random("epochs").nextLong());
        this.epochEvery = epochs.nextBoolean() ? 0 : 5 + epochs.nextInt(40);
        this.simulation = new Simulation(
                setting.seed(),
                setting.network(),
                List.of(new ExtentCodec()),
                (_, question) -> volume.answer(question));
        ExtentLimits limits = ExtentLimits.standard().withUnreferencedBytesMax(256 << 10);
        while (faulty.size() < setting.faults()) {
            faulty.add(PrincipalId.node(random.nextInt(volume.nodes())));
        }
        this.invariants = new ExtentInvariants(simulation, volume, faulty, limits);
        Set<PrincipalId> attackingParties = new HashSet<>(faulty);
        Random malice = new Random(setting.random("malice").nextLong());
        Collusion collusion = new Collusion(simulation, attackingParties, malice);
        for (int number = 0; number < volume.nodes(); number++) {
            addNode(number, limits, collusion, malice);
        }
        for (int writer = 1; writer <= WRITERS; writer++) {
            sessions[writer] = writer;
            volume.open(PrincipalId.client(writer), writer);
        }
        for (int i = 0; i < setting.byzantineClients(); i++) {
            PrincipalId self = PrincipalId.client(ATTACKERS_FROM + i);
            attackingParties.add(self);
            invariants.attacks(self);
            volume.open(self, self.number());
            attackers.add(new ExtentAttacker(self, simulation, volume, IMPATIENT, collusion, malice));
        }
    }

    private void addNode(int number, ExtentLimits limits, Collusion collusion, Random malice) {
        PrincipalId node = PrincipalId.node(number);
        nodes.add(node);
        if (faulty.contains(node)) {
            Liar liar = Liar.any(new ExtentLies(collusion, malice), malice);
            simulation.addNode(node, () -> liar.wrap(parts.server(number, limits)));
        } else if (volume.policy().protocol() == Protocol.PASIS) {
            simulation.addNode(
                    node,
                    () -> new VerifyingServer(
                            node, parts.server(number, limits), volume, new Random(random.nextLong())));
        } else {
            simulation.addNode(node, () -> parts.server(number, limits));
        }
    }

    @Override
    public Simulation simulation() {
        return simulation;
    }

    @Override
    public List<PrincipalId> nodes() {
        return List.copyOf(nodes);
    }

    @Override
    public Set<PrincipalId> faulty() {
        return Set.copyOf(faulty);
    }

    @Override
    public void step() {
        if (epochEvery != 0 && epochs.nextInt(epochEvery) == 0) {
            Fact later =
                    volume.nextEpoch(epochs.nextInt(volume.volume().groups().size()));
            facts.add(later);
            nodes.stream().filter(_ -> epochs.nextBoolean()).forEach(node -> simulation.tell(node, later));
        }
        if (!attackers.isEmpty() && random.nextInt(3) == 0) {
            ExtentAttacker attacker = attackers.get(random.nextInt(attackers.size()));
            attacker.move(List.copyOf(begun));
            if (random.nextInt(6) == 0) {
                referenceOwn(attacker);
            }
            if (!attacker.own().isEmpty() && random.nextInt(3) == 0) {
                List<ExtentAttacker.OwnExtent> own = attacker.own();
                read(READERS.getLast(), own.get(random.nextInt(own.size())));
            }
            return;
        }
        int client = 1 + random.nextInt(WRITERS);
        switch (random.nextInt(20)) {
            case 0, 1, 2, 3, 4, 5, 6, 7 -> write(client);
            case 8 -> free();
            case 9 -> closeAndReopen(client);
            case 10, 11, 12 -> reference();
            default -> {
                if (!extents.isEmpty()) {
                    read(READERS.getFirst(), extents.get(random.nextInt(extents.size())));
                }
            }
        }
    }

    private void write(int client) {
        BlockId block = volume.next(PrincipalId.client(client), sessions[client]);
        byte[] bytes = new byte[1 + random.nextInt(volume.policy().blockBytes())];
        random.nextBytes(bytes);
        Bytes content = Bytes.of(bytes);
        begun.add(block);
        writing[client]++;
        write(client, block, content);
    }

    /** Writes the block, in a later epoch once more. */
    private void write(int client, BlockId block, Bytes content) {
        Volume map = volume.volume();
        begin(PrincipalId.client(client), parts.write(map, block, content, PATIENT), outcome -> {
            if (outcome instanceof WriteOutcome.StaleMap && stale(map, block)) {
                write(client, block, content);
                return;
            }
            writing[client]--;
            if (!(outcome instanceof WriteOutcome.Complete complete)) {
                throw ExtentInvariants.NEVER_REFUSED.violation(block.toString(), outcome.toString());
            }
            invariants.complete(block, complete.pin());
            extents.add(new Extent(block, complete.pin(), volume.padded(content)));
        });
    }

    private boolean stale(Volume map, BlockId block) {
        return !map.group(block).equals(volume.volume().group(block));
    }

    private void read(PrincipalId reader, Extent extent) {
        boolean freedBefore = extent.freed;
        Volume map = volume.volume();
        begin(reader, parts.read(map, extent.block, extent.pin, PATIENT), outcome -> {
            switch (outcome) {
                case ReadOutcome.Whole whole -> {
                    invariants.whole(extent.block, extent.pin, extent.padded, whole.content());
                    if (freedBefore && toldAll) {
                        throw ExtentInvariants.FREED_STAYS_FREED.violation(
                                extent.block.toString(), "read after all correct nodes were told that it is freed");
                    }
                }
                case ReadOutcome.Freed _ when extent.freed -> {}
                case ReadOutcome.StaleMap _, ReadOutcome.Unavailable _, ReadOutcome.TooFewHolders _
                when stale(map, extent.block) -> read(reader, extent);
                case ReadOutcome.Freed _,
                        ReadOutcome.NotPermitted _,
                        ReadOutcome.Incomplete _,
                        ReadOutcome.Poisonous _,
                        ReadOutcome.StaleMap _,
                        ReadOutcome.Unavailable _,
                        ReadOutcome.TooFewHolders _ -> {
                    if (!extent.freed) {
                        throw ExtentInvariants.missing(extent.block, outcome);
                    }
                }
            }
        });
    }

    /** Reads what a faulty client wrote: it is whole and the same for all and for ever, or nothing. */
    private void read(PrincipalId reader, ExtentAttacker.OwnExtent own) {
        boolean readBefore = invariants.wasRead(own.block(), own.pin());
        begin(reader, parts.read(volume.volume(), own.block(), own.pin(), IMPATIENT), outcome -> {
            if (outcome instanceof ReadOutcome.Whole whole) {
                invariants.whole(own.block(), own.pin(), Bytes.EMPTY, whole.content());
            } else if ((outcome instanceof ReadOutcome.Incomplete || outcome instanceof ReadOutcome.Poisonous)
                    && readBefore
                    && invariants.wasRead(own.block(), own.pin())) {
                throw ExtentInvariants.missing(own.block(), outcome);
            }
        });
    }

    /** An inode names it: all nodes hear of it sooner or later. */
    private void reference() {
        if (extents.isEmpty()) {
            return;
        }
        Extent extent = extents.get(random.nextInt(extents.size()));
        if (!extent.freed) {
            extent.referenced = true;
            invariants.referenced(extent.block);
            tell(new Fact.OfPin(extent.block, extent.pin));
        }
    }

    /** Makes an inode of a faulty client name an extent that was never completed, or that nobody wrote. */
    private void referenceOwn(ExtentAttacker attacker) {
        List<ExtentAttacker.OwnExtent> own = attacker.own();
        if (!own.isEmpty()) {
            ExtentAttacker.OwnExtent any = own.get(random.nextInt(own.size()));
            invariants.referencedAnyhow(any.block());
            byte[] invented = new byte[32];
            random.nextBytes(invented);
            tell(new Fact.OfPin(any.block(), random.nextInt(4) == 0 ? Bytes.of(invented) : any.pin()));
        }
    }

    private void free() {
        if (!extents.isEmpty()) {
            Extent extent = extents.get(random.nextInt(extents.size()));
            extent.freed = true;
            BlockId block = extent.block;
            tell(new Fact.Freed(new BlockRange(block.volume(), block.owner(), block.session(), block.counter(), 1)));
        }
    }

    /** Extents that are not referenced by then are freed. */
    private void closeAndReopen(int client) {
        if (writing[client] > 0) {
            return;
        }
        PrincipalId self = PrincipalId.client(client);
        long session = sessions[client];
        List<BlockRange> referenced = new ArrayList<>();
        for (Extent extent : extents) {
            BlockId block = extent.block;
            if (block.owner().equals(self) && block.session() == session) {
                if (extent.referenced && !extent.freed) {
                    referenced.add(new BlockRange(block.volume(), self, session, block.counter(), 1));
                } else {
                    extent.freed = true;
                }
            }
        }
        referenced.sort((a, b) -> Long.compare(a.first(), b.first()));
        volume.close(self, session);
        tell(new Fact.ClosedWith(ExtentVolume.ID, self, session, referenced));
        sessions[client] = session + 100;
        volume.open(self, sessions[client]);
    }

    private void tell(Fact fact) {
        facts.add(fact);
        nodes.forEach(node -> simulation.tell(node, fact));
    }

    private <R> void begin(PrincipalId client, ClientOperation<R> operation, Consumer<R> judge) {
        simulation.start(client, operation);
        pending.add(() -> {
            operation.outcome().ifPresent(judge);
            return operation.outcome().isPresent();
        });
    }

    @Override
    public void healed() {
        facts.forEach(fact -> nodes.forEach(node -> simulation.tell(node, fact)));
    }

    @Override
    public boolean isIdle() {
        // A finished operation may begin another one.
        List<BooleanSupplier> over = List.copyOf(pending).stream()
                .filter(BooleanSupplier::getAsBoolean)
                .toList();
        pending.removeAll(over);
        completed += over.size();
        return pending.isEmpty();
    }

    @Override
    public void check() {
        isIdle();
        attackers.forEach(attacker -> attacker.check(invariants));
        invariants.check();
    }

    @Override
    public void readEverything() {
        simulation.runFor(20_000);
        toldAll = true;
        for (PrincipalId reader : READERS) {
            extents.forEach(extent -> read(reader, extent));
            attackers.forEach(attacker -> attacker.own().forEach(own -> read(reader, own)));
        }
    }

    @Override
    public void checkAtEnd() {
        check();
    }

    @Override
    public long completed() {
        return completed;
    }
}
