package io.bulwark.protocol.ordering.replica;

import io.bulwark.protocol.ordering.membership.Configuration;
import io.bulwark.protocol.ordering.membership.Handover;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Numbered;

/**
 * End of a configuration at this replica: its state names the next one, so that it executes nothing more, and a stable
 * checkpoint includes that (docs/decisions/0020).
 */
final class ConfigurationEnd {
    private final ReplicaConfig config;
    private final Execution execution;
    private final Outbox outbox;
    private boolean told;

    ConfigurationEnd(ReplicaConfig config, Execution execution, Outbox outbox) {
        this.config = config;
        this.execution = execution;
        this.outbox = outbox;
    }

    /** Once; and again in each life, whose driver may have forgotten it. */
    void tell(Numbered stable) {
        Configuration successor = execution.successor();
        if (successor != null && !told && stable.sequence() == execution.executed()) {
            told = true;
            outbox.add(new ReplicaEffect.Ended(
                    new Handover(config.term().configuration().digest(), stable, successor)));
        }
    }
}
