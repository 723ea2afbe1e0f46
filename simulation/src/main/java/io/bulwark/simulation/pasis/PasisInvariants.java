package io.bulwark.simulation.pasis;

import io.bulwark.protocol.cluster.Verification;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.effect.Loaded;
import io.bulwark.protocol.effect.RecordKey;
import io.bulwark.protocol.effect.RecordKind;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKind;
import io.bulwark.protocol.pasis.PasisGroup;
import io.bulwark.protocol.pasis.PasisLimits;
import io.bulwark.protocol.pasis.PasisMessage;
import io.bulwark.protocol.pasis.PasisReadOutcome;
import io.bulwark.protocol.pasis.ValidatingTimestamp;
import io.bulwark.protocol.pasis.VersionName;
import io.bulwark.protocol.pasis.VersionRecord;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.simulation.campaign.Invariant;
import io.bulwark.simulation.campaign.InvariantViolation;
import io.bulwark.simulation.engine.Simulation;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.IntStream;

/** Invariants of PASIS registers, judged by an observer that sees everything. */
final class PasisInvariants {
    static final Invariant WRITTEN_BY_SOMEONE =
            new Invariant("written-by-someone", "lazy verification paper 2.2: a value read is one that was written");
    static final Invariant REAL_TIME_ORDER = new Invariant(
            "real-time-order", "lazy verification paper 2.2: no operation comes to less than what was complete before");
    static final Invariant NEVER_POISONOUS =
            new Invariant("never-poisonous", "lazy verification paper 2.2: timestamp validation");
    static final Invariant VERIFIED_IS_COMPLETE = new Invariant(
            "verified-is-complete",
            "lazy verification paper 3.1 and 3.4: N - 2b correct nodes hold what one calls verified, or something"
                    + " later");
    static final Invariant BOUNDED =
            new Invariant("bounded", "lazy verification paper 3.3 and 3.4: possible versions, history pool");
    static final Invariant NEVER_REFUSED = new Invariant(
            "never-refused", "lazy verification paper 3.4: a faulty client denies service to itself only");
    static final Invariant NEVER_ACCUSED =
            new Invariant("never-accused", "docs/protocols/pasis.md: evidence is against the authenticated sender");

    static final Invariant PUT_OUT = new Invariant(
            "put-out",
            "thesis definition 3.3.4: once all nodes say so, nothing of a revoked client takes effect any more");

    static final Invariant PUTTING_OUT_ENDS = new Invariant(
            "putting-out-ends",
            "docs/protocols/revocation.md: it waits for nodes that are silent or lie, and for blocks to be written");

    /** Looking at disks takes long. */
    private static final int CHECKS_PER_LOOK = 16;

    private record Version(BlockId block, ValidatingTimestamp timestamp) {}

    private record SenderBlock(PrincipalId sender, BlockId block) {}

    /** Records of one block on one node's disk. */
    private static final class OnDisk {
        final Set<ValidatingTimestamp> held = new HashSet<>();
        final Set<ValidatingTimestamp> verified = new HashSet<>();
        ValidatingTimestamp collected = ValidatingTimestamp.NONE;

        void collect(ValidatingTimestamp version) {
            collected = version.isAfter(collected) ? version : collected;
        }

        boolean covers(ValidatingTimestamp version) {
            return held.contains(version) || collected.isAfter(version);
        }
    }

    private final Simulation simulation;
    private final PasisVolume volume;
    private final Set<PrincipalId> faulty;
    private final PasisLimits limits;
    private final List<PrincipalId> correct;
    /** Nodes that are to lie later. */
    private Predicate<PrincipalId> asleep = _ -> false;

    private final Predicate<ValidatingTimestamp> poisoned;
    private final Set<Version> sent = new HashSet<>();
    private final Map<Bytes, Bytes> meant = new HashMap<>();
    private final Map<BlockId, ValidatingTimestamp> floors = new HashMap<>();
    private final Set<PrincipalId> revoked = new HashSet<>();
    /** The correct nodes that have put a client out, by client. */
    private final Map<PrincipalId, Set<PrincipalId>> refusing = new HashMap<>();
    /** Versions of revoked clients that were not complete when all nodes had completed the revocation. */
    private final Set<Version> dead = new HashSet<>();

    private Optional<InvariantViolation> broken = Optional.empty();
    private boolean putOut;
    private int sightingsSeen;
    private int checks;

    /**
     * Checks the invariants of a simulation.
     *
     * @param faulty nodes and clients
     * @param poisoned whether attackers made this timestamp of fragments that do not belong together
     */
    PasisInvariants(
            Simulation simulation,
            PasisVolume volume,
            Set<PrincipalId> faulty,
            List<PrincipalId> correct,
            PasisLimits limits,
            Predicate<ValidatingTimestamp> poisoned) {
        this.simulation = simulation;
        this.volume = volume;
        this.faulty = faulty;
        this.correct = List.copyOf(correct);
        this.limits = limits;
        this.poisoned = poisoned;
        // Under write-time the answer comes once the version is verified, long after it was taken.
        boolean tells = volume.group(0).policy().verification() != Verification.WRITE_TIME;
        simulation.observe((from, to, _, message) -> {
            boolean takes = message instanceof PasisMessage.Written;
            if (tells && takes && refusing.getOrDefault(to, Set.of()).contains(from)) {
                broken = Optional.of(PUT_OUT.violation(to.toString(), from + " answers it " + message));
            }
        });
    }

    /** Sets the nodes that have been correct so far. */
    void asleep(Predicate<PrincipalId> nodes) {
        asleep = nodes;
    }

    /** All of them are revoked, all that are not correct clients. */
    void revoked(Collection<PrincipalId> clients) {
        revoked.addAll(clients);
    }

    /** A correct node says how far it has put a client out. */
    void refuses(PrincipalId node, PrincipalId client, int undecided) {
        Set<PrincipalId> done = refusing.computeIfAbsent(client, _ -> new HashSet<>());
        if (undecided == 0) {
            done.add(node);
        } else {
            done.remove(node);
        }
        boolean all = revoked.stream()
                .allMatch(each -> refusing.getOrDefault(each, Set.of()).size() == correct.size());
        if (all && !putOut && !revoked.isEmpty()) {
            putOut = true;
            sent.stream()
                    .filter(version -> volume.has(version.block)
                            && !meant.containsKey(version.timestamp.crossChecksum())
                            && !complete(version))
                    .forEach(dead::add);
        }
    }

    /** Returns whether all correct nodes have completed the revocation of all attackers. */
    boolean putOut() {
        return putOut;
    }

    private boolean complete(Version version) {
        PasisGroup group = volume.group(version.block);
        long covering = disks(group).stream()
                .filter(disk -> disk.covers(version.timestamp))
                .count();
        return covering >= group.policy().n() - 2L * group.policy().f();
    }

    /** By an operation that began when all attackers were put out. */
    void readAfterwards(BlockId block, ValidatingTimestamp at) {
        if (dead.contains(new Version(block, at))) {
            throw PUT_OUT.violation(
                    block.toString(), at + " was not complete when its writer was put out, and is read");
        }
    }

    /**
     * Checks revocation after a later write of each block. Only versions that a revoked client has dated later may be
     * undecided; without such versions the command has returned.
     *
     * @param allAnswer whether the former liars are correct now
     */
    void checkPutOut(boolean allAnswer) {
        boolean left = false;
        for (PrincipalId node : correct) {
            for (RecordKey key : simulation.records(node).keys()) {
                if (key.kind() == RecordKind.PASIS_POSSIBLE
                        && simulation.records(node).load(key) instanceof Loaded.Found found) {
                    PrincipalId sender = PrincipalId.read(new WireReader(found.meta()));
                    checkPutOut(node, key, sender);
                    left |= revoked.contains(sender);
                }
            }
        }
        if (allAnswer && !left && !putOut && !revoked.isEmpty()) {
            throw PUTTING_OUT_ENDS.violation(
                    "", "nothing is left, but of " + revoked + " only these say so: " + refusing);
        }
    }

    private void checkPutOut(PrincipalId node, RecordKey key, PrincipalId sender) {
        VersionName name = VersionName.read(new WireReader(key.suffix()));
        if (refusing.getOrDefault(sender, Set.of()).contains(node)) {
            throw PUT_OUT.violation(
                    key.block().toString(), node + " has put " + sender + " out and holds " + name + " of it");
        }
        ValidatingTimestamp complete = floor(key.block());
        if (revoked.contains(sender) && Long.compareUnsigned(name.time(), complete.time()) < 0) {
            throw PUT_OUT.violation(
                    key.block().toString(),
                    node + " has not decided " + name + " of " + sender + ", which is before " + complete);
        }
    }

    /** Records that somebody sends a version to a correct node. */
    void sent(BlockId block, ValidatingTimestamp version) {
        sent.add(new Version(block, version));
    }

    /** The least timestamp that an operation beginning now may come to. */
    ValidatingTimestamp floor(BlockId block) {
        return floors.getOrDefault(block, ValidatingTimestamp.NONE);
    }

    /** A correct client begins to write. */
    void writes(Bytes crossChecksum, Bytes value) {
        meant.put(crossChecksum, value);
    }

    void wrote(BlockId block, ValidatingTimestamp floor, ValidatingTimestamp at) {
        if (!at.isAfter(floor)) {
            throw REAL_TIME_ORDER.violation(block.toString(), "written at " + at + " after " + floor + " was complete");
        }
        raise(block, at);
    }

    void readNothing(BlockId block, ValidatingTimestamp floor) {
        if (!floor.isNone()) {
            throw REAL_TIME_ORDER.violation(block.toString(), "read as never written after " + floor + " was complete");
        }
    }

    void read(PasisGroup group, ValidatingTimestamp floor, PasisReadOutcome.Value value) {
        BlockId block = group.block();
        ValidatingTimestamp at = value.timestamp();
        if (floor.isAfter(at)) {
            throw REAL_TIME_ORDER.violation(block.toString(), "read at " + at + " after " + floor + " was complete");
        }
        Bytes known = meant.get(at.crossChecksum());
        if (!sent.contains(new Version(block, at)) || (known != null && !known.equals(value.block()))) {
            throw WRITTEN_BY_SOMEONE.violation(
                    block.toString(), "read " + value.block() + " at " + at + ", which nobody wrote; meant " + known);
        }
        if (group.validate(at, value.padded()).isEmpty()) {
            throw NEVER_POISONOUS.violation(block.toString(), "what was read does not give the fragments of " + at);
        }
        raise(block, at);
    }

    private void raise(BlockId block, ValidatingTimestamp to) {
        floors.merge(block, to, (a, b) -> a.isAfter(b) ? a : b);
    }

    void check() {
        if (broken.isPresent()) {
            throw broken.get();
        }
        for (Simulation.Sighting sighting : simulation.sightingsSince(sightingsSeen)) {
            sightingsSeen++;
            Effect.Evidence evidence = sighting.evidence();
            boolean accuses = switch (evidence.verdict()) {
                case CORRUPT, MISBEHAVED, POISONOUS -> true;
                case DAMAGED, OTHER_VERSION, BEHIND, SLOW -> false;
            };
            if (accuses && !faulty.contains(evidence.about()) && !faulty.contains(sighting.by())) {
                throw NEVER_ACCUSED.violation(evidence.block().toString(), sighting.toString());
            }
        }
        if (checks++ % CHECKS_PER_LOOK == 0) {
            look();
        }
    }

    void look() {
        correct.forEach(this::checkBounds);
        for (long block = 0; volume.has(BlockId.register(PasisVolume.ID, block)); block++) {
            checkVerified(volume.group(block));
        }
    }

    /**
     * Checks that verified versions are complete. A node makes no repair if b + 1 others report that they have
     * collected a later version.
     */
    private void checkVerified(PasisGroup group) {
        BlockId block = group.block();
        List<OnDisk> disks = disks(group);
        int needed = group.policy().n() - 2 * group.policy().f();
        ValidatingTimestamp complete = ValidatingTimestamp.NONE;
        for (OnDisk disk : disks) {
            for (ValidatingTimestamp version : disk.held) {
                boolean whole =
                        disks.stream().filter(other -> other.covers(version)).count() >= needed;
                complete = whole && version.isAfter(complete) ? version : complete;
            }
        }
        for (OnDisk disk : disks) {
            for (ValidatingTimestamp version : disk.verified) {
                if (version.isAfter(complete) || poisoned.test(version)) {
                    throw VERIFIED_IS_COMPLETE.violation(
                            block.toString(),
                            version + " is marked as verified, and at most " + complete
                                    + " is at enough correct nodes; poisonous: " + poisoned.test(version));
                }
            }
        }
    }

    private List<OnDisk> disks(PasisGroup group) {
        return IntStream.range(0, group.policy().n())
                .mapToObj(group::node)
                .filter(node -> correct.contains(node) || asleep.test(node))
                .map(node -> onDisk(node, group.block()))
                .toList();
    }

    private OnDisk onDisk(PrincipalId node, BlockId block) {
        OnDisk disk = new OnDisk();
        Loaded.Metas metas = simulation.records(node).scan(RecordKind.PASIS_VERSION, block, block, Integer.MAX_VALUE);
        for (Loaded.Meta record : metas.records()) {
            if (record.key().suffix().isEmpty()) {
                disk.collect(VersionRecord.Floor.decode(record.meta()).collected());
                continue;
            }
            VersionRecord version = VersionRecord.decode(record.meta());
            disk.held.add(version.timestamp());
            if (version.verified()) {
                disk.verified.add(version.timestamp());
                disk.collect(version.timestamp());
            }
        }
        return disk;
    }

    /** The most possible versions of a block that any correct node's disk holds of a sender. */
    int possible(PrincipalId sender, BlockId block) {
        int most = 0;
        for (PrincipalId node : correct) {
            List<Loaded.Meta> records = simulation
                    .records(node)
                    .scan(RecordKind.PASIS_POSSIBLE, block, block, Integer.MAX_VALUE)
                    .records();
            most = Math.max(most, (int) records.stream()
                    .filter(record ->
                            PrincipalId.read(new WireReader(record.meta())).equals(sender))
                    .count());
        }
        return most;
    }

    private void checkBounds(PrincipalId node) {
        Map<PrincipalId, Integer> ofSender = new HashMap<>();
        Map<SenderBlock, Integer> ofBlock = new HashMap<>();
        long bytes = 0;
        for (RecordKey key : simulation.records(node).keys()) {
            if (key.kind() == RecordKind.PASIS_POSSIBLE
                    && simulation.records(node).load(key) instanceof Loaded.Found found) {
                WireReader in = new WireReader(found.meta());
                PrincipalId sender = PrincipalId.read(in);
                if (!sender.equals(PrincipalId.NOBODY)) {
                    ofBlock.merge(new SenderBlock(sender, key.block()), 1, Integer::sum);
                }
                if (sender.kind() == PrincipalKind.CLIENT) {
                    ofSender.merge(sender, 1, Integer::sum);
                    bytes += PasisLimits.charge(in.i32(0, Integer.MAX_VALUE));
                }
            }
        }
        if (bytes > 2 * limits.poolBytes()) {
            throw BOUNDED.violation("", bytes + " bytes of possible versions at " + node);
        }
        ofSender.forEach((sender, count) -> {
            if (count > limits.possiblePerClient()) {
                throw BOUNDED.violation("", count + " possible versions of " + sender + " at " + node);
            }
        });
        ofBlock.forEach((account, count) -> {
            if (count > limits.possiblePerBlock()) {
                throw BOUNDED.violation(
                        account.block().toString(),
                        count + " possible versions of " + account.sender() + " at " + node);
            }
        });
    }
}
