package io.bulwark.client;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.ordering.membership.Configuration;
import io.bulwark.protocol.ordering.membership.Member;
import java.util.List;
import java.util.Optional;

/**
 * Which replicas order the metadata. Others follow them with a checkpoint: one in the place of another, three more, or three fewer.
 * Changes need the right to administer.
 */
public interface Replicas {
    /**
     * The replicas.
     *
     * @param now in their places, as the replicated state has them
     * @param next who is to follow at the next checkpoint
     */
    record Standing(Configuration now, Optional<Configuration> next) {}

    /** As the replicas have it now. */
    Standing standing();

    /** Those that this client believes in, with a proof for each change since the genesis. */
    Configuration believed();

    /** All configurations from the genesis's to the one that this client believes in, one after the other. */
    List<Configuration> history();

    /** Where a replica is found. */
    String addressOf(Member replica);

    /**
     * Has others order from the next checkpoint on; returns once that is agreed, and need not have come yet.
     *
     * @param number one more than that of the configuration of now
     * @throws io.bulwark.client.error.PreconditionFailedException if the replicas are others by now, or are being changed; nothing has
     *     changed then
     */
    void change(long number, List<PrincipalId> leaving, List<Member> coming);
}
