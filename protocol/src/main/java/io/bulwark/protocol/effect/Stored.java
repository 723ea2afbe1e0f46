package io.bulwark.protocol.effect;

/** Result of a {@link Effect.Store}. */
public enum Stored {
    /** All of it is durable under the node's durability setting. */
    DURABLE,
    /** None of it was written: no space. */
    NO_SPACE,
    /** It may or may not be there: the device failed. Nothing may be promised. */
    FAILED
}
