package io.bulwark.metadata;

import io.bulwark.protocol.ordering.recovery.RecoveryReport;
import io.bulwark.protocol.ordering.recovery.RecoveryStatus;
import io.bulwark.protocol.ordering.replica.ReplicaConfig.Recoveries;
import java.util.OptionalLong;

/**
 * Where recoveries stand, as one replica sees it (proactive recovery paper, sections 4.4 and 4.7).
 *
 * @param report its times are of the clock of this process, as {@code nowMillis}
 * @param oldestKeyMillis how old the oldest session key is under which it hears another replica
 * @param refused so many messages of others were under no key in force, and not believed
 * @param nowMillis when this was so
 * @param settings what the replica is told of recoveries
 */
public record RecoveryStanding(
        RecoveryReport report, long oldestKeyMillis, long refused, long nowMillis, Recoveries settings) {
    /**
     * A bound on the window of vulnerability, in milliseconds; none before every replica has recovered once.
     *
     * @param wallMillis what the world's clock says
     */
    public OptionalLong windowMillis(int replicas, long wallMillis) {
        return report.windowMillis(replicas, oldestKeyMillis, settings.watchdogMillis(), wallMillis);
    }

    /**
     * What the replica tells whoever asks.
     *
     * @param wallMillis what the world's clock says
     * @param takesPart whether it takes part in ordering
     */
    public RecoveryStatus told(long wallMillis, boolean takesPart) {
        return RecoveryStatus.of(report, settings.watchdogMillis(), oldestKeyMillis, nowMillis, wallMillis, takesPart);
    }
}
