package io.bulwark.protocol.ordering.driver;

/**
 * Reason for which a replica begins another life. A replica that stopped during a recovery continues it in any case.
 */
public enum StartReason {
    /** It goes on with what its disk has. */
    NORMAL,

    /**
     * The watchdog has restarted it, with right code: it recovers (4.4). It goes on with what its disk has meanwhile.
     */
    RECOVERING,

    /**
     * Its promises are lost, and the log is empty: it recovers, and counts as one of the f until it has come to where
     * it has promised nothing.
     */
    FORGOTTEN
}
