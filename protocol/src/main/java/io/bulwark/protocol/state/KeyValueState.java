package io.bulwark.protocol.state;

import io.bulwark.protocol.wire.Bytes;
import java.util.Optional;
import java.util.function.BiPredicate;

/**
 * Ordered keys and values: what a replicated state machine keeps its state in. Keys are compared as unsigned bytes. Equal
 * calls in equal order make equal states at all replicas. Single-threaded.
 */
public interface KeyValueState {
    /** The longest key, in bytes. */
    int KEY_BYTES_MAX = 2_048;

    /** The longest value, in bytes. */
    int VALUE_BYTES_MAX = 1 << 20;

    Optional<Bytes> get(Bytes key);

    /** Sets the value of a key. */
    void put(Bytes key, Bytes value);

    /** Removes a key, if it is there. */
    void remove(Bytes key);

    /**
     * Shows the entries whose keys are at least {@code from} and less than {@code to}, in ascending order, until the visitor
     * returns false. The visitor must not change the state.
     */
    void scan(Bytes from, Bytes to, BiPredicate<Bytes, Bytes> visitor);
}
