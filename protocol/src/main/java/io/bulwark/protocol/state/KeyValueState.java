package io.bulwark.protocol.state;

import io.bulwark.protocol.wire.Bytes;
import java.util.Optional;
import java.util.function.BiPredicate;

/**
 * Ordered keys and values: the storage of a replicated state machine's state. Keys are compared as unsigned bytes.
 * Equal calls in equal order make equal states at all replicas. Single-threaded.
 */
public interface KeyValueState {
    /** The longest key, in bytes. */
    int KEY_BYTES_MAX = 2_048;

    /** The longest value, in bytes. */
    int VALUE_BYTES_MAX = 1 << 20;

    /** The value of a key; of one that no {@link #put} would take, none. */
    Optional<Bytes> get(Bytes key);

    /**
     * Sets the value of a key. Both may be empty.
     *
     * @throws IllegalArgumentException if one of them is too long; the state is as it was
     */
    void put(Bytes key, Bytes value);

    /** Removes a key, if it is there. */
    void remove(Bytes key);

    /**
     * Shows the entries whose keys are at least {@code from} and less than {@code to}, in ascending order, until the visitor
     * returns false. The visitor may read the state, but must not change it. The bounds need not be keys: any bytes of any
     * length will do, and none are shown if {@code from} is not less than {@code to}.
     */
    void scan(Bytes from, Bytes to, BiPredicate<Bytes, Bytes> visitor);

    /**
     * Checks what {@link #put} is given.
     *
     * @throws IllegalArgumentException if the key or the value is too long
     */
    static void check(Bytes key, Bytes value) {
        if (key.length() > KEY_BYTES_MAX || value.length() > VALUE_BYTES_MAX) {
            throw new IllegalArgumentException(
                    "a key of " + key.length() + " bytes and a value of " + value.length() + " bytes");
        }
    }
}
