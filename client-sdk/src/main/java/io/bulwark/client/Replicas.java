package io.bulwark.client;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.ordering.membership.Configuration;
import io.bulwark.protocol.ordering.membership.Member;
import java.util.List;
import java.util.Optional;

/**
 * Replicas that order the metadata. A change takes effect with a checkpoint: one replica replaces another, three are
 * added, or three are removed. Changes need the right to administer.
 */
public interface Replicas {
    /**
     * The replicas.
     *
     * @param now in their places, as the replicated state has them
     * @param next who is to follow at the next checkpoint
     */
    record GroupMembership(Configuration now, Optional<Configuration> next) {}

    /** Returns the current state at the replicas. */
    GroupMembership standing();

    /** Returns the configuration that this client trusts, with a proof for each change since the genesis. */
    Configuration believed();

    /** Returns all configurations in order, from that of the genesis to the one that this client trusts. */
    List<Configuration> history();

    /** Returns the address of a replica. */
    String addressOf(Member replica);

    /**
     * Changes the replicas that order, from the next checkpoint on. Returns once that is agreed, possibly before it
     * takes effect.
     *
     * @param number one more than that of the current configuration
     * @throws io.bulwark.client.error.PreconditionFailedException if the replicas have changed by now, or are being
     *     changed; nothing has changed then
     */
    void change(long number, List<PrincipalId> leaving, List<Member> coming);
}
