package io.bulwark.protocol.fp;

import io.bulwark.protocol.cluster.Fact;
import io.bulwark.protocol.cluster.Question;
import io.bulwark.protocol.cluster.SessionState;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.effect.Loaded;
import io.bulwark.protocol.effect.Mutation;
import io.bulwark.protocol.effect.Outbox;
import io.bulwark.protocol.effect.RecordKey;
import io.bulwark.protocol.effect.RecordKind;
import io.bulwark.protocol.effect.Stored;
import io.bulwark.protocol.epoch.Seals;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKind;
import io.bulwark.protocol.kernel.Target;
import io.bulwark.protocol.wire.Bytes;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongConsumer;
import java.util.function.ObjLongConsumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Access rights according to 2f + 1 replicas: volumes, groups, grants, sessions. An unknown fact is asked for before a
 * refusal. The closing of a session is remembered durably, since a node that has said so never prepares for it again.
 */
final class FpAccess {
    private static final int KNOWN_MAX = 8_192;
    private static final long ABSENCE_MILLIS = 250;

    /** A client's session for a volume. */
    record SessionKey(int volume, PrincipalId owner, long session) implements Comparable<SessionKey> {
        private static final Comparator<SessionKey> ORDER = Comparator.comparingInt(SessionKey::volume)
                .thenComparing(SessionKey::owner)
                .thenComparingLong(SessionKey::session);

        @Override
        public int compareTo(SessionKey other) {
            return ORDER.compare(this, other);
        }

        RecordKey record() {
            return RecordKey.of(RecordKind.SESSION, new BlockId(volume, owner, session, 0));
        }
    }

    /** Decision on a request. */
    sealed interface Admission {
        record Admitted(FpGroup group) implements Admission {}

        record Refuse(FpRefusal refusal, long epoch) implements Admission {}

        /** Waits for the answer to a question; {@code ask} if nobody has asked it for this. */
        record Wait(Question question, boolean ask) implements Admission {}
    }

    private enum Closure {
        /** Its record is being read. */
        LOADING,
        /** No record of it here; the replicas are asked. */
        ASKING,
        OPEN,
        UNKNOWN,
        /** The closing is known, but not yet durable here. */
        CLOSING,
        CLOSED
    }

    private record Session(Closure closure, long millis) {}

    private record Grant(boolean mayRead, boolean mayWrite, long millis) {}

    private final PrincipalId self;
    private final Outbox out;
    private final ObjLongConsumer<Question> decided;
    private final FpLimits limits;
    private final Seals seals;
    private final Map<Integer, Volume> volumes = new HashMap<>();
    private final Map<Integer, Long> toldVolumes = new LinkedHashMap<>();
    /** Deleted volumes of which this node held data. */
    private final Set<Integer> deleted = new HashSet<>();
    /** No more than the registry has members. */
    private final Set<PrincipalId> revoked = new HashSet<>();

    private final LinkedHashMap<Question.OfGrant, Grant> grants = new LinkedHashMap<>(16, 0.75f, true);
    private final LinkedHashMap<SessionKey, Session> sessions = new LinkedHashMap<>(16, 0.75f, true);
    /** Sessions that the replicas have not confirmed, apart from the others: bogus ones push out bogus ones only. */
    private final LinkedHashMap<SessionKey, Session> doubtful = new LinkedHashMap<>(16, 0.75f, true);

    /** @param decided told of a question that this node's own records answered */
    FpAccess(PrincipalId self, Outbox out, FpLimits limits, ObjLongConsumer<Question> decided) {
        this.self = self;
        this.decided = decided;
        this.out = out;
        this.limits = limits;
        this.seals = new Seals(self.number());
    }

    /** The epochs that this server refuses. */
    Seals seals() {
        return seals;
    }

    /**
     * Returns whether this epoch of the block's group is open, and all before it are refused for good.
     * Nobody may prepare writes for a generation that opens later: they would take effect after their writer is revoked.
     */
    boolean serves(BlockId block, long epoch) {
        Volume volume = volumes.get(block.volume());
        return volume != null
                && block.generation() <= volume.written()
                && seals.serves(volume.id(), volume.groupIndex(block), epoch);
    }

    /** Epoch in which this node took the slot that it has in a group, as {@link Seals#taken} says; 0 if it has none. */
    long taken(FpGroup group) {
        int volume = group.block().volume();
        Volume known = volumes.get(volume);
        return group.slotOf(self) < 0 || known == null ? 0 : seals.taken(volume, known.groupIndex(group.block()));
    }

    /** A register volume as it is known here, if this server has to do with it. */
    Optional<Volume> volume(int id) {
        return Optional.ofNullable(volumes.get(id));
    }

    Admission admit(long nowMillis, PrincipalId from, FpMessage.Request request) {
        Target target = request.target();
        int volumeId = target.block().volume();
        Volume volume = volumes.get(volumeId);
        if (volume == null) {
            return wasToldLately(nowMillis, volumeId)
                    ? new Admission.Refuse(FpRefusal.WRONG_SLOT, 0)
                    : ask(new Question.OfVolume(volumeId, 0, 1));
        }
        if (!FpGroup.holds(volume, target.block())) {
            // The sender has a later map, or lies.
            return volume.knows(target.block()) || wasToldLately(nowMillis, volumeId)
                    ? new Admission.Refuse(FpRefusal.WRONG_SLOT, 0)
                    : ask(new Question.OfVolume(volumeId, volume.groups().size(), 1));
        }
        FpGroup group = FpGroup.of(volume, target.block());
        long epoch = group.placement().epoch();
        if (target.epoch() > epoch || (target.epoch() == epoch && !serves(target.block(), epoch))) {
            // A claimed newer epoch is checked before anything is refused, and so is the epoch after one that is about
            // to end.
            if (wasToldLately(nowMillis, volumeId)) {
                return new Admission.Refuse(FpRefusal.OTHER_EPOCH, epoch);
            }
            // One question serves all who claim an epoch, whatever the epoch.
            return ask(new Question.OfVolume(volumeId, volume.groupIndex(target.block()), epoch + 1));
        }
        if (target.epoch() < epoch) {
            return new Admission.Refuse(FpRefusal.OTHER_EPOCH, epoch);
        }
        if (group.slotOf(self) != target.slot()) {
            return new Admission.Refuse(FpRefusal.WRONG_SLOT, epoch);
        }
        return from.kind() == PrincipalKind.NODE
                ? admitNode(group, from, request)
                : admitClient(nowMillis, group, from, request);
    }

    private boolean wasToldLately(long nowMillis, int volume) {
        Long told = toldVolumes.get(volume);
        return told != null && nowMillis - told < ABSENCE_MILLIS;
    }

    private static Admission admitNode(FpGroup group, PrincipalId from, FpMessage.Request request) {
        boolean writes = request instanceof FpMessage.Prepare || request instanceof FpMessage.Commit;
        return !writes && group.slotOf(from) >= 0
                ? new Admission.Admitted(group)
                : new Admission.Refuse(FpRefusal.NO_GRANT, group.placement().epoch());
    }

    private Admission admitClient(long nowMillis, FpGroup group, PrincipalId from, FpMessage.Request request) {
        long epoch = group.placement().epoch();
        if (from.kind() != PrincipalKind.CLIENT) {
            return new Admission.Refuse(FpRefusal.NO_GRANT, epoch);
        }
        int volume = group.block().volume();
        return switch (request) {
            case FpMessage.Prepare prepare ->
                admitWriter(nowMillis, group, new SessionKey(volume, from, prepare.session()));
            case FpMessage.Commit commit ->
                admitCommitter(nowMillis, group, new SessionKey(volume, from, commit.session()));
            case FpMessage.FindTimestamp ignored -> admitReader(nowMillis, group, new Question.OfGrant(volume, from));
            case FpMessage.Read ignored -> admitReader(nowMillis, group, new Question.OfGrant(volume, from));
            case FpMessage.Repair ignored -> admitReader(nowMillis, group, new Question.OfGrant(volume, from));
            case FpMessage.AskRepairMac ignored -> new Admission.Refuse(FpRefusal.NO_GRANT, epoch);
            case FpMessage.AskLeftover ignored -> new Admission.Refuse(FpRefusal.NO_GRANT, epoch);
        };
    }

    /**
     * Admits a committer. In a closed session nothing is committed any more, but the node still confirms a version that
     * it has.
     */
    private Admission admitCommitter(long nowMillis, FpGroup group, SessionKey key) {
        Admission ofWriter = admitWriter(nowMillis, group, key);
        boolean closed = ofWriter instanceof Admission.Refuse(FpRefusal refusal, long ignored)
                && refusal == FpRefusal.SESSION_CLOSED;
        return closed ? new Admission.Admitted(group) : ofWriter;
    }

    private Admission admitReader(long nowMillis, FpGroup group, Question.OfGrant principal) {
        Grant grant = grants.get(principal);
        long believed = grant == null ? 0 : grant.mayRead() ? limits.factMillis() : ABSENCE_MILLIS;
        if (grant == null || nowMillis - grant.millis() >= believed) {
            return ask(new Question.OfGrant(principal.volume(), principal.principal()));
        }
        return grant.mayRead()
                ? new Admission.Admitted(group)
                : new Admission.Refuse(FpRefusal.NO_GRANT, group.placement().epoch());
    }

    private Admission admitWriter(long nowMillis, FpGroup group, SessionKey key) {
        Session known = session(key);
        long epoch = group.placement().epoch();
        if (known == null || (known.closure() == Closure.UNKNOWN && nowMillis - known.millis() >= ABSENCE_MILLIS)) {
            known = look(nowMillis, key);
        }
        return switch (known.closure()) {
            case OPEN -> new Admission.Admitted(group);
            case UNKNOWN -> new Admission.Refuse(FpRefusal.SESSION_UNKNOWN, epoch);
            case CLOSING, CLOSED -> new Admission.Refuse(FpRefusal.SESSION_CLOSED, epoch);
            case LOADING -> new Admission.Wait(question(key), false);
            case ASKING -> ask(question(key));
        };
    }

    /** A stale "open" of the replicas must not undo what this node has promised: its own record comes first. */
    private Session look(long nowMillis, SessionKey key) {
        Session loading = new Session(Closure.LOADING, nowMillis);
        put(key, loading);
        out.load(key.record(), (now, loaded) -> {
            Session current = session(key);
            if (current == null || current.closure() == Closure.LOADING) {
                boolean closed = !(loaded instanceof Loaded.Missing);
                set(now, key, closed ? Closure.CLOSED : Closure.ASKING);
                if (closed) {
                    decided.accept(question(key), now);
                } else {
                    out.ask(question(key));
                }
            }
        });
        return loading;
    }

    /** The replicas have said, for good, that this volume is deleted, or not one of this protocol. */
    void deleted(int volume) {
        deleted.add(volume);
        volumes.remove(volume);
    }

    /** Returns whether the volume is known to be deleted, or not of this protocol. */
    boolean gone(int volume) {
        return deleted.contains(volume);
    }

    /** Returns whether the volume is unknown here. */
    boolean isUnknown(int volume) {
        return !volumes.containsKey(volume) && !gone(volume);
    }

    /** The group of a register block, if its volume is known here. */
    Optional<FpGroup> group(BlockId block) {
        Volume volume = volumes.get(block.volume());
        return volume != null && FpGroup.holds(volume, block)
                ? Optional.of(FpGroup.of(volume, block))
                : Optional.empty();
    }

    /**
     * Returns whether the principal is revoked, so that none of its messages counts. The replicas never take that back,
     * so a restart may forget it.
     */
    boolean revoked(PrincipalId principal) {
        return revoked.contains(principal);
    }

    /** Returns whether this node durably refuses the session. */
    boolean closed(SessionKey key) {
        return refuses(key, Set.of(Closure.CLOSED));
    }

    /** Returns whether requests of the session admitted earlier must be refused by now. */
    boolean isClosing(SessionKey key) {
        return refuses(key, Set.of(Closure.CLOSED, Closure.CLOSING));
    }

    /**
     * Tells whether the session is known to be open. A request that has waited is judged by this, since the node's promise to refuse its
     * session may have been pushed out of memory meanwhile.
     */
    boolean isOpen(SessionKey key) {
        Session known = session(key);
        return known != null && known.closure() == Closure.OPEN;
    }

    private boolean refuses(SessionKey key, Set<Closure> over) {
        Session known = session(key);
        return revoked.contains(key.owner()) || (known != null && over.contains(known.closure()));
    }

    /** Finds out whether the session is closed. */
    void askClosure(long nowMillis, SessionKey key) {
        Session known = session(key);
        if (known == null) {
            look(nowMillis, key);
        } else if (known.closure() != Closure.LOADING) {
            out.ask(question(key));
        }
    }

    /** Takes a fact; the question that it answers, if it is one of ours. Closures are told only once they are durable. */
    @Nullable
    Question onFact(long nowMillis, Fact fact, LongConsumer whenClosed) {
        return switch (fact) {
            case Fact.OfVolume of -> {
                toldVolumes.put(of.volume(), nowMillis);
                trim(toldVolumes);
                of.known()
                        .filter(volume -> !gone(volume.id()))
                        .ifPresent(volume -> volumes.merge(volume.id(), volume, FpAccess::later));
                yield new Question.OfVolume(of.volume(), 0, 1);
            }
            case Fact.OfGrant grant -> {
                grants.put(
                        new Question.OfGrant(grant.volume(), grant.principal()),
                        new Grant(grant.mayRead(), grant.mayWrite(), nowMillis));
                trim(grants);
                yield new Question.OfGrant(grant.volume(), grant.principal());
            }
            case Fact.OfSession of -> {
                SessionKey key = new SessionKey(of.volume(), of.owner(), of.session());
                onSession(nowMillis, key, of.state(), whenClosed);
                yield question(key);
            }
            case Fact.ClosedWith with -> {
                SessionKey key = new SessionKey(with.volume(), with.owner(), with.session());
                onSession(nowMillis, key, SessionState.CLOSED, whenClosed);
                yield question(key);
            }
            case Fact.Revoked told -> {
                revoked.add(told.principal());
                yield null;
            }
            case Fact.OfPin ignored -> null;
            case Fact.Pending ignored -> null;
            case Fact.Freed ignored -> null;
            case Fact.Collapsed ignored -> null;
        };
    }

    private void onSession(long nowMillis, SessionKey key, SessionState state, LongConsumer whenClosed) {
        Volume volume = volumes.get(key.volume());
        if (gone(key.volume()) || (volume != null && !FpGroup.isUnder(volume))) {
            return;
        }
        Session known = session(key);
        // "Open" counts only once this node has seen that it has not promised the contrary.
        boolean looked = known != null && known.closure() != Closure.LOADING;
        boolean over = known != null && (known.closure() == Closure.CLOSED || known.closure() == Closure.CLOSING);
        if (over || (state != SessionState.CLOSED && !looked)) {
            return;
        }
        switch (state) {
            case OPEN -> set(nowMillis, key, Closure.OPEN);
            case UNKNOWN -> set(nowMillis, key, Closure.UNKNOWN);
            case CLOSED -> {
                set(nowMillis, key, Closure.CLOSING);
                out.store(List.of(new Mutation.Put(key.record(), Bytes.of((byte) 1), Bytes.EMPTY)), (now, stored) -> {
                    if (stored == Stored.DURABLE) {
                        set(now, key, Closure.CLOSED);
                        whenClosed.accept(now);
                    } else {
                        // RequestKind again when it matters; until then nothing is known of it.
                        sessions.remove(key);
                    }
                });
            }
        }
    }

    private void set(long nowMillis, SessionKey key, Closure closure) {
        put(key, new Session(closure, nowMillis));
    }

    /** Returns the owner's sessions that this node remembers. */
    List<SessionKey> sessionsOf(PrincipalId owner) {
        return Stream.concat(sessions.keySet().stream(), doubtful.keySet().stream())
                .filter(key -> key.owner().equals(owner))
                .toList();
    }

    private @Nullable Session session(SessionKey key) {
        Session told = sessions.get(key);
        return told == null ? doubtful.get(key) : told;
    }

    private void put(SessionKey key, Session session) {
        boolean told = switch (session.closure()) {
            case OPEN, CLOSING, CLOSED -> true;
            case LOADING, ASKING, UNKNOWN -> false;
        };
        (told ? doubtful : sessions).remove(key);
        (told ? sessions : doubtful).put(key, session);
        trim(told ? sessions : doubtful);
    }

    private static <K, V> void trim(Map<K, V> known) {
        if (known.size() > KNOWN_MAX) {
            known.remove(known.keySet().iterator().next());
        }
    }

    private static Volume later(Volume known, Volume told) {
        if (told.groups().size() < known.groups().size()) {
            return known;
        }
        for (int group = 0; group < known.groups().size(); group++) {
            if (told.groups().get(group).epoch() < known.groups().get(group).epoch()) {
                return known;
            }
        }
        return told;
    }

    private static Question question(SessionKey key) {
        return new Question.OfSession(key.volume(), key.owner(), key.session());
    }

    private static Admission ask(Question question) {
        return new Admission.Wait(question, true);
    }
}
