package io.bulwark.protocol.kernel;

/** Reason why an operation on a register block failed, for good or in its time. */
public enum Failure {
    /** Too few nodes answered in time. */
    TIMED_OUT,
    /** More than f nodes have no room for more staged versions of this client: it must close its session or wait. */
    LIMIT,
    /** More than b nodes (PASIS) have no room for more unverified versions of this client in this block: it must wait. */
    BLOCK_LIMIT,
    /** More than b nodes (PASIS) have no room for unverified versions of anybody. */
    POOL,
    /** More than f nodes know that the writer's session is closed. */
    SESSION_CLOSED,
    /** More than f nodes learned that the writer's session was never opened. */
    SESSION_UNKNOWN,
    /** More than f nodes say that the client may not do this. */
    NO_GRANT,
    /** More than f nodes serve another epoch or hold other slots: the map is to be fetched again, and the operation begun anew. */
    OTHER_EPOCH,
    /** More than f nodes have no space left. */
    NO_SPACE,
    /** More than f nodes refuse ever greater timestamps: the register is used up. */
    EXHAUSTED
}
