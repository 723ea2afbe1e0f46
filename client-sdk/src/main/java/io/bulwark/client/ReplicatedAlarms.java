package io.bulwark.client;

import io.bulwark.client.error.InvalidRequestException;
import io.bulwark.client.error.Subject;
import io.bulwark.protocol.metadata.Command;
import io.bulwark.protocol.metadata.Query;
import io.bulwark.protocol.metadata.Reply;
import io.bulwark.protocol.metadata.ThreatLevel;
import io.bulwark.protocol.metadata.ThreatPolicy;
import java.nio.charset.StandardCharsets;

/** The threat level in the replicated metadata. */
final class ReplicatedAlarms implements Alarms {
    private final BulwarkClient client;

    ReplicatedAlarms(BulwarkClient client) {
        this.client = client;
    }

    @Override
    public State state() {
        Reply.ThreatState state = client.query(
                Reply.ThreatState.class, new Query.GetThreat(), Subject.NONE, BulwarkClient.noDeadline());
        return new State(state.policy(), state.level(), state.volumes());
    }

    @Override
    public void raise(int levels, String reason) {
        change(true, levels, reason);
    }

    @Override
    public void lower(int levels, String reason) {
        change(false, levels, reason);
    }

    private void change(boolean raises, int levels, String reason) {
        if (levels < 1 || levels > ThreatLevel.MAX) {
            throw new InvalidRequestException(
                    "the level moves by 1 to " + ThreatLevel.MAX + ", not by " + levels, Subject.NONE);
        }
        if (reason.getBytes(StandardCharsets.UTF_8).length > ThreatLevel.REASON_BYTES_MAX) {
            throw new InvalidRequestException(
                    "a reason has at most " + ThreatLevel.REASON_BYTES_MAX + " bytes", Subject.NONE);
        }
        client.execute(Reply.Done.class, new Command.ChangeThreat(raises, levels, reason), Subject.NONE);
    }

    @Override
    public void set(ThreatPolicy policy) {
        client.execute(Reply.Done.class, new Command.SetThreatPolicy(policy), Subject.NONE);
    }
}
