package io.bulwark.simulation.ordering;

import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.Optional;

/**
 * Operation of the simulated application: it sets a register. The number is the client's own, so that an operation that
 * is ordered twice is executed once.
 */
record RegisterOperation(long number, int key, long value) {
    private static final int BYTES = 20;

    Bytes encode() {
        return new WireWriter(BYTES).i64(number).i32(key).i64(value).toBytes();
    }

    /** Empty if a faulty client made this up. */
    static Optional<RegisterOperation> decode(Bytes bytes) {
        try {
            WireReader in = new WireReader(bytes);
            RegisterOperation operation = new RegisterOperation(in.i64(), in.i32(), in.i64());
            in.end();
            return Optional.of(operation);
        } catch (MalformedException e) {
            return Optional.empty();
        }
    }

    static Bytes query(int key) {
        return new WireWriter(4).i32(key).toBytes();
    }

    /** The key that a query asks for; -1 if a faulty client made it up. */
    static int key(Bytes query) {
        return query.length() == 4 ? new WireReader(query).i32() : -1;
    }
}
