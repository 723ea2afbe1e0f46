package io.bulwark.protocol.cluster;

import io.bulwark.protocol.id.PrincipalId;
import java.util.Comparator;

/**
 * Question that a node must have answered by 2f+1 replicas before it decides; its driver answers with a {@link Fact}.
 */
public sealed interface Question {
    /** Asks whether this session of this owner is open for the volume. */
    record OfSession(int volume, PrincipalId owner, long session) implements Question, Comparable<OfSession> {
        private static final Comparator<OfSession> ORDER = Comparator.comparingInt(OfSession::volume)
                .thenComparing(OfSession::owner)
                .thenComparingLong(OfSession::session);

        @Override
        public int compareTo(OfSession other) {
            return ORDER.compare(this, other);
        }
    }

    /** Question about the rights of the principal on the volume. */
    record OfGrant(int volume, PrincipalId principal) implements Question, Comparable<OfGrant> {
        private static final Comparator<OfGrant> ORDER =
                Comparator.comparingInt(OfGrant::volume).thenComparing(OfGrant::principal);

        @Override
        public int compareTo(OfGrant other) {
            return ORDER.compare(this, other);
        }
    }

    /** The volume with its groups, at an epoch of the group that is at least this one. */
    record OfVolume(int volume, int group, long epoch) implements Question, Comparable<OfVolume> {
        private static final Comparator<OfVolume> ORDER = Comparator.comparingInt(OfVolume::volume)
                .thenComparingInt(OfVolume::group)
                .thenComparingLong(OfVolume::epoch);

        @Override
        public int compareTo(OfVolume other) {
            return ORDER.compare(this, other);
        }
    }
}
