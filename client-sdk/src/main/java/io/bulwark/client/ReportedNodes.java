package io.bulwark.client;

import io.bulwark.client.error.Subject;
import io.bulwark.protocol.metadata.Command;
import io.bulwark.protocol.metadata.FaultPolicy;
import io.bulwark.protocol.metadata.Query;
import io.bulwark.protocol.metadata.Reply;

/** The faulty nodes in the replicated metadata. */
final class ReportedNodes implements FaultyNodes {
    private final BulwarkClient client;

    ReportedNodes(BulwarkClient client) {
        this.client = client;
    }

    @Override
    public Report report() {
        Reply.NodeFaultList list = client.query(
                Reply.NodeFaultList.class, new Query.ListNodeFaults(), Subject.NONE, BulwarkClient.noDeadline());
        return new Report(list.policy(), list.faults(), list.suspicions());
    }

    @Override
    public void set(FaultPolicy policy) {
        client.execute(Reply.Done.class, new Command.SetFaultPolicy(policy), Subject.NONE);
    }

    @Override
    public void forgive(int node) {
        client.execute(Reply.Done.class, new Command.ForgiveNode(node), Subject.NONE.at("node-" + node));
    }
}
