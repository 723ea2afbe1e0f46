package io.bulwark.metadata;

import io.bulwark.protocol.ordering.driver.ReplicaConfig.Recoveries;
import io.bulwark.protocol.ordering.recovery.RecoveryReport;
import io.bulwark.protocol.ordering.recovery.RecoveryStatus;
import java.util.OptionalLong;

/**
 * State of the recoveries, as one replica sees it (proactive recovery paper, sections 4.4 and 4.7).
 *
 * @param report its times are of the clock of this process, as {@code nowMillis}
 * @param oldestKeyMillis age of the oldest session key under which it hears another replica
 * @param refused number of messages from others that were rejected, as they were under no key in force
 * @param nowMillis time of this report
 * @param settings the replica's configuration of recoveries
 */
public record RecoveryProgress(
        RecoveryReport report, long oldestKeyMillis, long refused, long nowMillis, Recoveries settings) {
    /**
     * Returns a bound on the window of vulnerability, in milliseconds; none before every replica has recovered once.
     *
     * @param wallMillis the time of the world's clock
     */
    public OptionalLong windowMillis(int replicas, long wallMillis) {
        return report.windowMillis(replicas, oldestKeyMillis, settings.watchdogMillis(), wallMillis);
    }

    /**
     * Returns the replica's answer to a status request.
     *
     * @param wallMillis wall-clock time
     * @param takesPart whether it takes part in ordering
     */
    public RecoveryStatus told(long wallMillis, boolean takesPart) {
        return RecoveryStatus.of(report, settings.watchdogMillis(), oldestKeyMillis, nowMillis, wallMillis, takesPart);
    }
}
