package io.bulwark.client;

import io.bulwark.client.error.PreconditionFailedException;
import io.bulwark.client.error.Subject;
import io.bulwark.client.object.RefusalExceptions;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.Command;
import io.bulwark.protocol.metadata.MetadataError;
import io.bulwark.protocol.metadata.Query;
import io.bulwark.protocol.metadata.Reply;
import io.bulwark.protocol.ordering.membership.Configuration;
import io.bulwark.protocol.ordering.membership.Member;
import java.util.List;

/** The replicas in the replicated metadata. */
final class ReplicatedReplicas implements Replicas {
    private final BulwarkClient client;

    ReplicatedReplicas(BulwarkClient client) {
        this.client = client;
    }

    @Override
    public GroupMembership standing() {
        Reply.ReplicaList list = client.query(
                Reply.ReplicaList.class, new Query.ListReplicas(), Subject.NONE, BulwarkClient.noDeadline());
        return new GroupMembership(list.now(), list.next());
    }

    @Override
    public Configuration believed() {
        return client.replicasNow();
    }

    @Override
    public List<Configuration> history() {
        return client.replicasSoFar();
    }

    @Override
    public String addressOf(Member replica) {
        return client.addressOf(replica);
    }

    @Override
    public void change(long number, List<PrincipalId> leaving, List<Member> coming) {
        Reply reply = client.execute(new Command.ChangeReplicas(number, leaving, coming), Subject.NONE);
        if (reply instanceof Reply.Failed failed
                && (failed.error() == MetadataError.REPLICAS_CHANGING
                        || failed.error() == MetadataError.OTHER_REPLICAS)) {
            throw new PreconditionFailedException(failed.message(), Subject.NONE);
        }
        RefusalExceptions.expect(Reply.Done.class, reply, Subject.NONE);
        client.learn();
    }
}
