package io.bulwark.metadata.bft;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Conditions for the stop of a replica. Its promises are durable, so that a primary's message that it gives up its view
 * can be sent. A primary stays until another one leads: while four vote for the first batches of that view, the slowest
 * of them delays nobody. The end of its process also takes no processor time from the others meanwhile. One thread
 * calls {@link #begin} and {@link #look}, another one waits.
 */
final class GracefulLeave {
    private static final Logger LOG = LoggerFactory.getLogger(GracefulLeave.class);

    /** A sync of the log, on a disk that is busy. */
    private static final long DURABLE_MILLIS_MAX = 1_000;

    /** A view change, on a machine that is busy. If it takes longer, it is not this replica that the others lack. */
    private static final long STAY_MILLIS_MAX = 500;

    private final CountDownLatch durable = new CountDownLatch(1);
    private final CountDownLatch led = new CountDownLatch(1);
    private long index = Long.MAX_VALUE;
    private boolean stays;

    /**
     * The replica is to stop.
     *
     * @param upTo what is to be durable
     * @param isPrimary it has given its view up
     */
    void begin(long upTo, boolean isPrimary) {
        index = upTo;
        stays = isPrimary;
    }

    /** @param isLed whether another one leads */
    void look(long durableUpTo, boolean isLed) {
        if (durableUpTo >= index) {
            durable.countDown();
            if (!stays || isLed) {
                led.countDown();
            }
        }
    }

    /** Returns whether all conditions are met. */
    boolean isOver() {
        return led.getCount() == 0;
    }

    /** Returns when the replica may stop, or has waited for as long as it does. */
    void await(int replica) {
        try {
            if (!durable.await(DURABLE_MILLIS_MAX, TimeUnit.MILLISECONDS)) {
                LOG.warn("replica-{} did not hand over its primary role in time", replica);
            } else if (!led.await(STAY_MILLIS_MAX, TimeUnit.MILLISECONDS)) {
                LOG.info("replica-{} stops before another replica is primary", replica);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
