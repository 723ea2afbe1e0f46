package io.bulwark.storage.completion;

import io.bulwark.protocol.epoch.SettleRequest;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Log of registers that are not settled, which delay the confirmation of a new epoch. It logs one now and then, as
 * mostly many are affected. Used on one thread.
 */
final class UnsettledLog {
    private static final Logger LOG = LoggerFactory.getLogger(UnsettledLog.class);
    private static final long PAUSE_MILLIS = 60_000;

    private boolean said;
    private long saidMillis;
    private long since;

    void report(long nowMillis, SettleRequest settle) {
        since++;
        if (said && nowMillis - saidMillis < PAUSE_MILLIS) {
            return;
        }
        LOG.warn(
                "block {} cannot be settled in epoch {} of its placement group: {} attempts failed "
                        + "since the last report. The node retries; until it succeeds the epoch is not confirmed",
                settle.block(),
                settle.epoch(),
                since);
        said = true;
        saidMillis = nowMillis;
        since = 0;
    }
}
