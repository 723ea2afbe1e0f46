package io.bulwark.protocol.cluster;

import io.bulwark.protocol.id.PrincipalId;

/** What a node must know from 2f+1 replicas before it decides; its driver answers with a {@link Fact}. */
public sealed interface Question {
    /** Is this session of this owner open for the volume? */
    record OfSession(int volume, PrincipalId owner, long session) implements Question {}

    /** What may the principal do on the volume? */
    record OfGrant(int volume, PrincipalId principal) implements Question {}

    /** The volume with its groups, at an epoch of the group that is at least this one. */
    record OfVolume(int volume, int group, long epoch) implements Question {}
}
