package io.bulwark.simulation.fp;

import io.bulwark.protocol.cluster.RevocationWatch;
import io.bulwark.protocol.effect.RecordKey;
import io.bulwark.protocol.effect.RecordKind;
import io.bulwark.protocol.effect.Verdict;
import io.bulwark.protocol.fp.FpGroup;
import io.bulwark.protocol.fp.FpLimits;
import io.bulwark.protocol.fp.FpMessage;
import io.bulwark.protocol.fp.FpReadOutcome;
import io.bulwark.protocol.fp.PrepareTag;
import io.bulwark.protocol.fp.Timestamp;
import io.bulwark.protocol.fp.Version;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.Message;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.simulation.campaign.Invariant;
import io.bulwark.simulation.campaign.InvariantViolation;
import io.bulwark.simulation.engine.Simulation;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Invariants of FP registers, judged by an observer that sees everything. */
final class FpInvariants {
    static final Invariant ONE_BLOCK_PER_TIMESTAMP = new Invariant("one-block-per-timestamp", "thesis lemma 4.2.6");
    static final Invariant WRITTEN_BY_SOMEONE = new Invariant("written-by-someone", "thesis lemma 4.2.5");
    static final Invariant REAL_TIME_ORDER = new Invariant("real-time-order", "thesis lemmas 4.2.7 to 4.2.9");
    static final Invariant NEVER_POISONOUS = new Invariant("never-poisonous", "thesis theorem 2.2.4, lemma 4.2.6");
    static final Invariant NEVER_REFUSED =
            new Invariant("never-refused", "thesis theorem 4.2.1: a correct client's operation succeeds");
    static final Invariant NEVER_ACCUSED =
            new Invariant("never-accused", "docs/protocols/access.md, verdicts: correct nodes are not accused");

    static final Invariant BOUNDED = new Invariant(
            "bounded", "docs/protocols/fp.md, bounds: staged versions per client, and per client and block");

    static final Invariant CERTIFIED = new Invariant(
            "certified", "thesis lines 1500 to 1507: a correct node commits what m + f nodes have prepared");

    static final Invariant PUT_OUT = new Invariant(
            "put-out",
            "thesis definition 3.3.4: once all nodes say so, nothing of a revoked client is taken or decided");

    static final Invariant PUTTING_OUT_ENDS = new Invariant(
            "putting-out-ends",
            "docs/protocols/revocation.md: it waits for nodes that are silent or lie, and for blocks to be written");

    /** Checking disks takes long. */
    private static final int CHECKS_PER_BOUND = 16;

    private record NamedVersion(BlockId block, Version version) {}

    private record ClientBlock(PrincipalId client, BlockId block) {}

    private record Content(BlockId block, Bytes pin) {}

    private final Simulation simulation;
    private final Set<PrincipalId> faulty;
    private final Map<NamedVersion, Bytes> read = new HashMap<>();
    /** The correct nodes that prepared it, or proved it for a repair: by the thesis all that a read may find. */
    private final Map<NamedVersion, Set<PrincipalId>> prepared = new HashMap<>();

    /** The correct nodes that have put a client out, by client. */
    private final Map<PrincipalId, Set<PrincipalId>> refusing = new HashMap<>();

    private final Map<PrincipalId, Set<PrincipalId>> doneNow = new HashMap<>();
    private boolean ended;
    /** The least that reads have found which began after the end, and the greatest of what no correct client wrote. */
    private final Map<BlockId, Timestamp> leastSince = new HashMap<>();

    private final Map<BlockId, Timestamp> lurkingSince = new HashMap<>();

    private Optional<InvariantViolation> broken = Optional.empty();

    private final Map<Content, Bytes> written = new HashMap<>();
    private final Map<BlockId, Timestamp> floors = new HashMap<>();
    private final FpLimits limits;
    private final List<PrincipalId> correct;
    private final int fragments;
    private int sightingsSeen;
    private int checks;

    /** @param fragments m */
    FpInvariants(
            Simulation simulation, Set<PrincipalId> faulty, List<PrincipalId> correct, int fragments, FpLimits limits) {
        this.fragments = fragments;
        this.correct = List.copyOf(correct);
        this.limits = limits;
        this.simulation = simulation;
        this.faulty = faulty;
        simulation.observe((from, to, requestId, message) -> saw(from, to, message));
    }

    /** A correct node says how far it has put a client out. */
    RevocationWatch watch(PrincipalId node) {
        return new RevocationWatch() {
            @Override
            public void begins(PrincipalId revoked) {
                doneNow.getOrDefault(revoked, new HashSet<>()).remove(node);
            }

            @Override
            public void refuses(PrincipalId revoked, int undecided) {
                if (undecided == 0) {
                    refusing.computeIfAbsent(revoked, _ -> new HashSet<>()).add(node);
                    doneNow.computeIfAbsent(revoked, _ -> new HashSet<>()).add(node);
                }
            }
        };
    }

    /** Returns whether all correct nodes have reported the client's revocation as complete. */
    boolean putOut(PrincipalId client) {
        return refusing.getOrDefault(client, Set.of()).size() == correct.size();
    }

    /** Returns whether all correct nodes have reported completion since they were last told of the revocation. */
    boolean isDoneNow(PrincipalId client) {
        return doneNow.getOrDefault(client, Set.of()).size() == correct.size();
    }

    /**
     * Returns, by client, the correct nodes that have reported the end of the revocation since the last notice. All
     * others are still awaited.
     */
    String describeUnfinished() {
        return "only these are done: " + doneNow;
    }

    /**
     * Records that all attackers are revoked: nothing of theirs takes effect from now on. Nobody has read every block
     * before, which would make nodes complete lurking writes.
     */
    void endAttacks() {
        ended = true;
    }

    /** Knowledge of a read when it begins. */
    record ReadStart(Timestamp floor, boolean afterEnd) {}

    ReadStart reads(BlockId block) {
        return new ReadStart(floor(block), ended);
    }

    private void saw(PrincipalId from, PrincipalId to, Message message) {
        if (faulty.contains(from)) {
            return;
        }
        boolean takes = message instanceof FpMessage.Prepared || message instanceof FpMessage.Committed;
        if (takes && broken.isEmpty() && refusing.getOrDefault(to, Set.of()).contains(from)) {
            broken = Optional.of(PUT_OUT.violation(to.toString(), from + " answers it " + message));
        }
        switch (message) {
            case FpMessage.Prepared answer -> vouches(from, answer.target().block(), answer.version());
            case FpMessage.RepairMac answer -> vouches(from, answer.target().block(), answer.version());
            case FpMessage.FoundTimestamp answer ->
                committed(from, answer.target().block(), answer.latest());
            case FpMessage.ReadAnswer answer -> committed(from, answer.target().block(), answer.latest());
            default -> {}
        }
    }

    private void vouches(PrincipalId node, BlockId block, Version version) {
        prepared.computeIfAbsent(new NamedVersion(block, version), _ -> new HashSet<>())
                .add(node);
    }

    /** A COMMIT takes m + f MACs, f of them perhaps of faulty nodes. */
    private void committed(PrincipalId node, BlockId block, Timestamp latest) {
        if (latest.isNone()) {
            return;
        }
        int vouched = prepared.getOrDefault(new NamedVersion(block, latest.version()), Set.of())
                .size();
        if (vouched < fragments && broken.isEmpty()) {
            broken = Optional.of(CERTIFIED.violation(
                    block.toString(),
                    node + " has committed " + latest + ", which " + vouched + " correct nodes have prepared"));
        }
    }

    /** The least timestamp that an operation beginning now may come to. */
    Timestamp floor(BlockId block) {
        return floors.getOrDefault(block, Timestamp.NONE);
    }

    /** A correct client begins to write. */
    void writes(FpGroup group, Bytes value) {
        Bytes pin = group.code().encode(padded(group, value)).fpcc().pin();
        written.put(new Content(group.block(), pin), value);
    }

    /** As it is encoded: with zeros at the end, to m fragments. */
    static Bytes padded(FpGroup group, Bytes value) {
        byte[] padded = new byte[group.policy().m() * group.policy().fragmentBytes(value.length())];
        value.copyTo(0, padded, 0, value.length());
        return Bytes.of(padded);
    }

    void wrote(FpGroup group, Timestamp floor, Timestamp at) {
        // Greater than all that was complete before (4.2.7).
        if (!at.isAfter(floor)) {
            throw REAL_TIME_ORDER.violation(
                    group.block().toString(), "written at " + at + " after " + floor + " was complete");
        }
        raise(group.block(), at);
    }

    void readNothing(FpGroup group, ReadStart since) {
        if (!since.floor().isNone()) {
            throw REAL_TIME_ORDER.violation(
                    group.block().toString(), "read as never written after " + since.floor() + " was complete");
        }
        readAfterEnd(group.block(), since, Timestamp.NONE, true);
    }

    /** All reads that began after the end agree on what of the attackers was in force then, whichever was first. */
    private void readAfterEnd(BlockId block, ReadStart since, Timestamp at, boolean correct) {
        if (!since.afterEnd()) {
            return;
        }
        leastSince.merge(block, at, (a, b) -> a.isAfter(b) ? b : a);
        if (!correct) {
            lurkingSince.merge(block, at, (a, b) -> a.isAfter(b) ? a : b);
        }
        Timestamp least = leastSince.getOrDefault(block, Timestamp.NONE);
        Timestamp lurking = lurkingSince.getOrDefault(block, least);
        if (lurking.isAfter(least)) {
            throw PUT_OUT.violation(
                    block.toString(),
                    "read at " + lurking + " what was not in force when all nodes were done: " + least);
        }
    }

    void read(FpGroup group, ReadStart since, FpReadOutcome.Value value) {
        BlockId block = group.block();
        Timestamp at = value.timestamp();
        Timestamp floor = since.floor();
        if (floor.isAfter(at)) {
            throw REAL_TIME_ORDER.violation(block.toString(), "read at " + at + " after " + floor + " was complete");
        }
        NamedVersion named = new NamedVersion(block, at.version());
        Bytes before = read.putIfAbsent(named, value.block());
        if (before != null && !before.equals(value.block())) {
            throw ONE_BLOCK_PER_TIMESTAMP.violation(
                    block.toString(), "at " + at + " both " + before + " and " + value.block() + " were read");
        }
        Bytes meant = written.get(new Content(block, at.written().pin()));
        if (!prepared.containsKey(named) || (meant != null && !meant.equals(value.block()))) {
            throw WRITTEN_BY_SOMEONE.violation(
                    block.toString(), "read " + value.block() + " at " + at + ", which nobody wrote; meant " + meant);
        }
        readAfterEnd(block, since, at, meant != null);
        if (group.code().acceptBlock(value.padded(), at.written(), 0).isEmpty()) {
            throw NEVER_POISONOUS.violation(
                    block.toString(), "fewer than m fragments of what was read are consistent with " + at);
        }
        raise(block, at);
    }

    private void raise(BlockId block, Timestamp to) {
        floors.merge(block, to, (a, b) -> a.isAfter(b) ? a : b);
    }

    void check() {
        if (broken.isPresent()) {
            throw broken.get();
        }
        for (Simulation.Sighting sighting : simulation.sightingsSince(sightingsSeen)) {
            sightingsSeen++;
            Verdict verdict = sighting.evidence().verdict();
            boolean accuses = verdict == Verdict.CORRUPT || verdict == Verdict.MISBEHAVED;
            if (accuses && !faulty.contains(sighting.evidence().about())) {
                throw NEVER_ACCUSED.violation(sighting.evidence().block().toString(), sighting.toString());
            }
        }
        if (checks++ % CHECKS_PER_BOUND == 0) {
            correct.forEach(this::checkBounds);
        }
    }

    void checkAtEnd() {
        check();
        correct.forEach(this::checkBounds);
    }

    /** Checks that each node's list of staged versions, one record for each, keeps to the limits of each client. */
    private void checkBounds(PrincipalId node) {
        Map<PrincipalId, Integer> ofClient = new HashMap<>();
        Map<ClientBlock, Integer> ofBlock = new HashMap<>();
        for (RecordKey key : simulation.records(node).keys()) {
            boolean charges =
                    key.kind() == RecordKind.REGISTER && !key.block().owner().equals(PrepareTag.REPAIR);
            if (charges) {
                PrincipalId client = key.block().owner();
                WireReader suffix = new WireReader(key.suffix());
                BlockId block = BlockId.register(suffix.i32(0, Integer.MAX_VALUE), suffix.nonNegative64());
                ofClient.merge(client, 1, Integer::sum);
                ofBlock.merge(new ClientBlock(client, block), 1, Integer::sum);
            }
        }
        ofClient.forEach((client, count) -> {
            if (putOut(client)) {
                throw PUT_OUT.violation(client.toString(), count + " versions of it are staged at " + node);
            }
            if (count > limits.allPerClient()) {
                throw BOUNDED.violation(client.toString(), count + " staged versions at " + node);
            }
        });
        ofBlock.forEach((account, count) -> {
            if (count > limits.allPerBlock()) {
                throw BOUNDED.violation(
                        account.block().toString(), count + " staged versions of " + account.client() + " at " + node);
            }
        });
    }
}
