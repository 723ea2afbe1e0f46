package io.bulwark.protocol.pasis;

import io.bulwark.protocol.cluster.CollapsedSessions;
import io.bulwark.protocol.cluster.Fact;
import io.bulwark.protocol.cluster.Question;
import io.bulwark.protocol.cluster.SessionState;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.epoch.Seals;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKind;
import io.bulwark.protocol.kernel.Target;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Access rights here, according to 2f + 1 replicas' answers about volumes, grants and sessions (docs/protocols/extents.md). A
 * closed session stays closed as long as this node runs; after a restart the replicas are asked again.
 */
final class PasisAccess {
    private static final int KNOWN_MAX = 8_192;
    private static final long ABSENCE_MILLIS = 250;

    /** Decision on the admission of a request. */
    sealed interface Admission {
        record Admitted(PasisGroup group) implements Admission {}

        record Refuse(PasisRefusal refusal, long epoch) implements Admission {}

        record Wait(Question question) implements Admission {}
    }

    private record TimedFact<T>(T value, long millis) {}

    private final PrincipalId self;
    private final long factMillis;
    private final Seals seals;
    private final Map<Integer, Volume> volumes = new HashMap<>();
    private final Map<Integer, Long> toldVolumes = new LinkedHashMap<>();
    /** Deleted volumes of which this node held something. */
    private final Set<Integer> deleted = new HashSet<>();
    /** No more than the registry has members. */
    private final Set<PrincipalId> revoked = new HashSet<>();

    private final Map<Question.OfGrant, TimedFact<Fact.OfGrant>> grants = new LinkedHashMap<>(16, 0.75f, true);
    /** Last collapsed fact of each owner: an answer that was in flight then reopens none of these sessions. */
    private final CollapsedSessions collapsed = new CollapsedSessions();

    private final Map<Question.OfSession, TimedFact<SessionState>> sessions = new LinkedHashMap<>(16, 0.75f, true);
    /** Apart from the others: bogus ones push out bogus ones only. */
    private final Map<Question.OfSession, TimedFact<SessionState>> unknown = new LinkedHashMap<>(16, 0.75f, true);

    PasisAccess(PrincipalId self, long factMillis) {
        this.self = self;
        this.factMillis = factMillis;
        this.seals = new Seals(self.number());
    }

    /** The epochs that this server refuses. */
    Seals seals() {
        return seals;
    }

    /**
     * Returns whether this epoch of the block's group is open, and all earlier ones are refused for good.
     * Nobody may prepare writes for a generation that opens later: they would take effect after their writer is revoked.
     */
    boolean serves(BlockId block, long epoch) {
        Volume volume = volumes.get(block.volume());
        return volume != null
                && block.generation() <= volume.written()
                && seals.serves(volume.id(), volume.groupIndex(block), epoch);
    }

    /** Epoch in which this node took the slot that it has in a group, as {@link Seals#taken} says; 0 if it has none. */
    long taken(PasisGroup group) {
        Volume volume = volumes.get(group.block().volume());
        return volume != null && group.slotOf(self) >= 0
                ? seals.taken(volume.id(), volume.groupIndex(group.block()))
                : 0;
    }

    /** A register volume under PASIS as it is known here. */
    Optional<Volume> volume(int id) {
        return Optional.ofNullable(volumes.get(id)).filter(PasisGroup::isUnder);
    }

    Admission admit(long nowMillis, PrincipalId from, PasisMessage.Request request) {
        Target target = request.target();
        int volumeId = target.block().volume();
        Volume volume = volumes.get(volumeId);
        Long told = toldVolumes.get(volumeId);
        boolean lately = told != null && nowMillis - told < ABSENCE_MILLIS;
        if (volume == null) {
            return lately
                    ? new Admission.Refuse(PasisRefusal.WRONG_SLOT, 0)
                    : new Admission.Wait(new Question.OfVolume(volumeId, 0, 1));
        }
        if (!PasisGroup.holds(volume, target.block())) {
            // The sender has a later map, or lies.
            return volume.knows(target.block()) || lately
                    ? new Admission.Refuse(PasisRefusal.WRONG_SLOT, 0)
                    : new Admission.Wait(
                            new Question.OfVolume(volumeId, volume.groups().size(), 1));
        }
        PasisGroup group = PasisGroup.of(volume, target.block());
        long epoch = group.placement().epoch();
        boolean sealed = target.epoch() == epoch && !serves(target.block(), epoch);
        if ((target.epoch() > epoch || sealed) && !lately) {
            // A claimed newer epoch is checked before anything is refused, and so is the epoch after one that is about
            // to end.
            return new Admission.Wait(new Question.OfVolume(volumeId, volume.groupIndex(target.block()), epoch + 1));
        }
        if (target.epoch() != epoch || sealed) {
            return new Admission.Refuse(PasisRefusal.OTHER_EPOCH, epoch);
        }
        if (group.slotOf(self) != target.slot()) {
            return new Admission.Refuse(PasisRefusal.WRONG_SLOT, epoch);
        }
        if (revoked.contains(from)) {
            return new Admission.Refuse(PasisRefusal.NO_GRANT, epoch);
        }
        boolean node = group.slotOf(from) >= 0;
        boolean client = from.kind() == PrincipalKind.CLIENT;
        return switch (request) {
            case PasisMessage.Write write when client -> writer(nowMillis, group, from, write.session());
            case PasisMessage.Notify ignored when node -> new Admission.Admitted(group);
            case PasisMessage.Write ignored -> new Admission.Refuse(PasisRefusal.NO_GRANT, epoch);
            case PasisMessage.Notify ignored -> new Admission.Refuse(PasisRefusal.NO_GRANT, epoch);
            case PasisMessage.FindTime ignored -> reader(nowMillis, group, from);
            case PasisMessage.Read ignored -> reader(nowMillis, group, from);
            case PasisMessage.ReadFragment ignored -> reader(nowMillis, group, from);
            case PasisMessage.Repair ignored -> reader(nowMillis, group, from);
        };
    }

    private Admission reader(long nowMillis, PasisGroup group, PrincipalId from) {
        if (group.slotOf(from) >= 0) {
            return new Admission.Admitted(group);
        }
        if (from.kind() != PrincipalKind.CLIENT) {
            return new Admission.Refuse(PasisRefusal.NO_GRANT, group.placement().epoch());
        }
        int volume = group.block().volume();
        TimedFact<Fact.OfGrant> told = grants.get(new Question.OfGrant(volume, from));
        if (told == null || nowMillis - told.millis() >= (told.value().mayRead() ? factMillis : ABSENCE_MILLIS)) {
            return new Admission.Wait(new Question.OfGrant(volume, from));
        }
        return told.value().mayRead()
                ? new Admission.Admitted(group)
                : new Admission.Refuse(PasisRefusal.NO_GRANT, group.placement().epoch());
    }

    private Admission writer(long nowMillis, PasisGroup group, PrincipalId from, long session) {
        Question.OfSession key = new Question.OfSession(group.block().volume(), from, session);
        TimedFact<SessionState> told = sessions.containsKey(key) ? sessions.get(key) : unknown.get(key);
        long epoch = group.placement().epoch();
        if (told == null || (told.value() == SessionState.UNKNOWN && nowMillis - told.millis() >= ABSENCE_MILLIS)) {
            return new Admission.Wait(key);
        }
        return switch (told.value()) {
            case OPEN -> new Admission.Admitted(group);
            case UNKNOWN -> new Admission.Refuse(PasisRefusal.SESSION_UNKNOWN, epoch);
            case CLOSED -> new Admission.Refuse(PasisRefusal.SESSION_CLOSED, epoch);
        };
    }

    /** Returns whether the client has a write grant, as far as is known. */
    boolean mayWrite(PrincipalId client, int volume) {
        TimedFact<Fact.OfGrant> told = grants.get(new Question.OfGrant(volume, client));
        return told != null && told.value().mayWrite();
    }

    /** Returns whether a write that was admitted earlier must now be refused. */
    boolean closed(PrincipalId owner, BlockId block, long session) {
        if (revoked.contains(owner)) {
            return true;
        }
        TimedFact<SessionState> told = sessions.get(new Question.OfSession(block.volume(), owner, session));
        return told != null && told.value() == SessionState.CLOSED;
    }

    /** The replicas have said, for good, that this volume is deleted. */
    void deleted(int volume) {
        deleted.add(volume);
        volumes.remove(volume);
    }

    /** Returns whether the volume is known to be deleted. */
    boolean gone(int volume) {
        return deleted.contains(volume);
    }

    /** The group of a block, if its volume is known here. */
    Optional<PasisGroup> group(BlockId block) {
        Volume volume = volumes.get(block.volume());
        return volume != null && PasisGroup.holds(volume, block)
                ? Optional.of(PasisGroup.of(volume, block))
                : Optional.empty();
    }

    /** Takes a fact; the question that it answers, if it is one of ours. */
    @Nullable
    Question onFact(long nowMillis, Fact fact) {
        return switch (fact) {
            case Fact.OfVolume of -> {
                toldVolumes.put(of.volume(), nowMillis);
                trim(toldVolumes);
                of.known()
                        .filter(volume -> !gone(volume.id()))
                        .ifPresent(volume -> volumes.merge(volume.id(), volume, PasisAccess::later));
                yield new Question.OfVolume(of.volume(), 0, 1);
            }
            case Fact.OfGrant grant -> {
                grants.put(new Question.OfGrant(grant.volume(), grant.principal()), new TimedFact<>(grant, nowMillis));
                trim(grants);
                yield new Question.OfGrant(grant.volume(), grant.principal());
            }
            case Fact.OfSession of -> onSession(nowMillis, of.volume(), of.owner(), of.session(), of.state());
            case Fact.ClosedWith with ->
                onSession(nowMillis, with.volume(), with.owner(), with.session(), SessionState.CLOSED);
            case Fact.Revoked told -> {
                revoked.add(told.principal());
                yield null;
            }
            case Fact.Collapsed told -> {
                collapsed.learn(told);
                sessions.replaceAll((key, known) -> told.covers(key.owner(), key.session())
                        ? new TimedFact<>(SessionState.CLOSED, nowMillis)
                        : known);
                yield null;
            }
            case Fact.OfPin ignored -> null;
            case Fact.Pending ignored -> null;
            case Fact.Freed ignored -> null;
        };
    }

    private Question onSession(long nowMillis, int volume, PrincipalId owner, long session, SessionState state) {
        Question.OfSession key = new Question.OfSession(volume, owner, session);
        if (state == SessionState.UNKNOWN) {
            unknown.put(key, new TimedFact<>(state, nowMillis));
            trim(unknown);
        } else if (!closed(owner, BlockId.register(volume, 0), session)) {
            unknown.remove(key);
            boolean closed = collapsed.covers(owner, session);
            sessions.put(key, new TimedFact<>(closed ? SessionState.CLOSED : state, nowMillis));
            trim(sessions);
        }
        return new Question.OfSession(volume, owner, session);
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
}
