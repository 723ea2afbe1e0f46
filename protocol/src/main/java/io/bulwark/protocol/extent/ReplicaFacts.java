package io.bulwark.protocol.extent;

import io.bulwark.protocol.cluster.Fact;
import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.cluster.VolumeKind;
import io.bulwark.protocol.id.PrincipalId;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Facts about volumes and grants from 2f+1 replicas. The node asks soon again about a denied grant, and after a while
 * about a given one.
 */
final class ReplicaFacts {
    private static final int GRANTS_MAX = 4096;
    private static final long GIVEN_MILLIS = 30_000;
    private static final long DENIED_MILLIS = 1_000;

    private record GrantKey(int volume, PrincipalId principal) implements Comparable<GrantKey> {
        private static final Comparator<GrantKey> ORDER =
                Comparator.comparingInt(GrantKey::volume).thenComparing(GrantKey::principal);

        @Override
        public int compareTo(GrantKey other) {
            return ORDER.compare(this, other);
        }
    }

    private record Grant(boolean mayRead, long untilMillis) {}

    private final Map<Integer, Volume> volumes = new HashMap<>();
    private final Map<GrantKey, Grant> grants = new LinkedHashMap<>(64, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<GrantKey, Grant> eldest) {
            return size() > GRANTS_MAX;
        }
    };

    /** The object volume, if it is known. */
    Optional<Volume> volume(int id) {
        return Optional.ofNullable(volumes.get(id));
    }

    /** Keeps the later epoch of each group. */
    void learn(Fact.OfVolume fact) {
        Volume told = fact.known().orElse(null);
        if (told == null || told.kind() != VolumeKind.OBJECT) {
            return;
        }
        Volume known = volumes.get(told.id());
        volumes.put(told.id(), known == null ? told : later(known, told));
    }

    /** Groups are added and never removed: who tells of more of them has the later policy. */
    private static Volume later(Volume known, Volume told) {
        Volume more = told.groups().size() >= known.groups().size() ? told : known;
        List<PlacementGroup> groups = new ArrayList<>(more.groups());
        for (int i = 0; i < Math.min(known.groups().size(), told.groups().size()); i++) {
            PlacementGroup before = known.groups().get(i);
            PlacementGroup now = told.groups().get(i);
            groups.set(i, now.epoch() >= before.epoch() ? now : before);
        }
        return more.with(groups);
    }

    void learn(long nowMillis, Fact.OfGrant fact) {
        long until = nowMillis + (fact.mayRead() ? GIVEN_MILLIS : DENIED_MILLIS);
        grants.put(new GrantKey(fact.volume(), fact.principal()), new Grant(fact.mayRead(), until));
    }

    /** Returns whether the principal may read; null if the node must ask that. */
    @Nullable
    Boolean mayRead(long nowMillis, int volume, PrincipalId principal) {
        Grant grant = grants.get(new GrantKey(volume, principal));
        return (grant == null || grant.untilMillis() <= nowMillis) ? null : (Boolean) grant.mayRead();
    }
}
