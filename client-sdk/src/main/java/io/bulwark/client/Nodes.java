package io.bulwark.client;

import io.bulwark.protocol.cluster.ClusterMap;
import io.bulwark.protocol.cluster.NodeAddress;

/**
 * Storage nodes, and the holders of each placement group's slots. Changes need the right to administer.
 *
 * <p>A group gets another holder in a new epoch. A call announces it here. The epoch opens once all holders but f have
 * sealed the epoch before, and is complete when each holder has confirmed. The map shows the progress.
 */
public interface Nodes {
    /** The nodes, and the volumes with their groups, as the replicas have them now. */
    ClusterMap map();

    /**
     * Sets the current address of a node that has joined; the node may take slots then.
     *
     * @throws io.bulwark.client.error.InvalidRequestException if no such node has joined
     */
    void set(NodeAddress address);

    /**
     * Puts a node out, for good.
     *
     * @throws io.bulwark.client.error.NotEmptyException while it holds a slot or is to take one
     */
    void remove(int node);

    /**
     * Announces that another node is to hold a slot of a group.
     *
     * @param epoch the group's current epoch in the map
     * @param from the node that holds the slot
     * @param to a node that holds no slot of the group
     * @throws io.bulwark.client.error.PreconditionFailedException if the group now has another epoch or another change,
     *     or more than f slots would be unconfirmed; nothing has changed then
     */
    void change(String volume, int group, long epoch, int from, int to);

    /**
     * Gives an announced change up: the next epoch opens all the same, with the holders of this one.
     *
     * @param epoch of the group now, as the map has it
     * @throws io.bulwark.client.error.PreconditionFailedException if the group has another epoch by now; nothing has changed then
     */
    void abort(String volume, int group, long epoch);
}
