package io.bulwark.metadata;

import io.bulwark.metadata.ordering.ReplicatedApplication;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import org.jspecify.annotations.NullMarked;

/** The service of the paper's micro-benchmarks (proactive recovery, section 6.1): arguments and results of given sizes, no state. */
@NullMarked
final class SizesMachine implements ReplicatedApplication {
    private static final int RESULT_BYTES_MAX = 1 << 20;

    /**
     * Returns an operation with an argument and a result of these sizes; the first 8 bytes of the argument are its own.
     */
    static Bytes operation(int argumentBytes, int resultBytes) {
        return new WireWriter()
                .i32(resultBytes)
                .bytes(Bytes.of(new byte[Math.max(0, argumentBytes - 8)]))
                .toBytes();
    }

    @Override
    public Bytes execute(PrincipalId client, Bytes command, long agreedMillis) {
        return Bytes.of(new byte[new WireReader(command).i32(0, RESULT_BYTES_MAX)]);
    }

    @Override
    public Bytes query(PrincipalId client, Bytes query) {
        return execute(client, query, 0);
    }

    @Override
    public Bytes snapshot() {
        return Bytes.EMPTY;
    }

    @Override
    public void restore(Bytes snapshot) {}
}
