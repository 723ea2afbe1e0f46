package io.bulwark.metadata.bft;

import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.WireWriter;

/** What the state machine made of a request, as the engine hands it on: a byte that says whether it threw, and the reply. */
final class Result {
    private static final int DONE = 0;
    private static final int FAILED = 1;

    private Result() {}

    static Bytes done(Bytes reply) {
        return new WireWriter(1 + reply.length()).u8(DONE).raw(reply).toBytes();
    }

    static Bytes failed() {
        return new WireWriter(1).u8(FAILED).toBytes();
    }

    static boolean isFailed(Bytes result) {
        return result.get(0) == FAILED;
    }

    static Bytes reply(Bytes result) {
        return result.slice(1, result.length() - 1);
    }
}
