package io.bulwark.client;

import io.bulwark.client.error.PreconditionFailedException;
import io.bulwark.client.error.Subject;
import io.bulwark.client.object.RefusalExceptions;
import io.bulwark.protocol.cluster.ClusterMap;
import io.bulwark.protocol.cluster.NodeAddress;
import io.bulwark.protocol.metadata.Command;
import io.bulwark.protocol.metadata.Reply;

/** The nodes and groups in the replicated metadata. */
final class ReplicatedNodes implements Nodes {
    private final BulwarkClient client;

    ReplicatedNodes(BulwarkClient client) {
        this.client = client;
    }

    @Override
    public ClusterMap map() {
        return client.refreshMap();
    }

    @Override
    public void set(NodeAddress address) {
        client.execute(Reply.Done.class, new Command.SetNode(address), Subject.NONE.at("node-" + address.node()));
    }

    @Override
    public void remove(int node) {
        client.execute(Reply.Done.class, new Command.RemoveNode(node), Subject.NONE.at("node-" + node));
        client.learn();
    }

    @Override
    public void change(String volume, int group, long epoch, int from, int to) {
        execute(new Command.ChangeHolder(volume, group, epoch, from, to), volume);
    }

    @Override
    public void abort(String volume, int group, long epoch) {
        execute(new Command.AbortChange(volume, group, epoch), volume);
    }

    private void execute(Command command, String volume) {
        Subject subject = Subject.volume(volume);
        Reply reply = client.execute(command, subject);
        if (reply instanceof Reply.Failed failed) {
            switch (failed.error()) {
                case STALE_EPOCH, CHANGE_PENDING, TOO_MANY_UNCONFIRMED ->
                    throw new PreconditionFailedException(failed.message(), subject);
                default -> {}
            }
        }
        RefusalExceptions.expect(Reply.Done.class, reply, subject);
    }
}
