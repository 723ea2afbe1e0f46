package io.bulwark.protocol.ordering.checkpoint;

import io.bulwark.protocol.ordering.driver.ReplicaConfig;
import io.bulwark.protocol.ordering.driver.ReplicaEffect;
import io.bulwark.protocol.ordering.log.Outbox;
import io.bulwark.protocol.ordering.log.ReplicaContext;
import io.bulwark.protocol.ordering.membership.Configuration;
import io.bulwark.protocol.ordering.membership.Handover;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Numbered;
import io.bulwark.protocol.ordering.normal.Execution;

/**
 * End of a configuration at this replica: its state names the next one, so that it executes nothing more, and a stable
 * checkpoint includes that (docs/decisions/0020).
 */
public final class ConfigurationEnd {
    private final ReplicaConfig config;
    private final Execution execution;
    private final Outbox outbox;
    private boolean told;

    public ConfigurationEnd(ReplicaContext context, Execution execution) {
        config = context.config();
        outbox = context.outbox();
        this.execution = execution;
    }

    /** Once; and again in each life, whose driver may have forgotten it. */
    public void tell(Numbered stable) {
        Configuration successor = execution.successor();
        if (successor != null && !told && stable.sequence() == execution.executed()) {
            told = true;
            outbox.add(new ReplicaEffect.Ended(
                    new Handover(config.term().configuration().digest(), stable, successor)));
        }
    }
}
