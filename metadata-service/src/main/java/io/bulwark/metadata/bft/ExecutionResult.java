package io.bulwark.metadata.bft;

import io.bulwark.protocol.ordering.CallRefusal;
import io.bulwark.protocol.ordering.OrderingMessage.Refused;
import io.bulwark.protocol.ordering.OrderingMessage.Reply;
import io.bulwark.protocol.ordering.OrderingMessage.ToClient;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.WireWriter;

/**
 * Encoding of the state machine's result of a request in the engine: a byte that tells whether it threw, and the reply.
 */
final class ExecutionResult {
    private static final int DONE = 0;
    private static final int FAILED = 1;

    private ExecutionResult() {}

    static Bytes done(Bytes reply) {
        return new WireWriter(1 + reply.length()).u8(DONE).raw(reply).toBytes();
    }

    static Bytes failed() {
        return new WireWriter(1).u8(FAILED).toBytes();
    }

    private static boolean isFailed(Bytes result) {
        return result.get(0) == FAILED;
    }

    private static Bytes reply(Bytes result) {
        return result.slice(1, result.length() - 1);
    }

    /**
     * Returns the answer to the client. To clients this engine has one life for each configuration of replicas:
     * requests that 2f+1 have executed in it are never dropped.
     */
    static ToClient answer(long call, long incarnation, Bytes result) {
        return isFailed(result) ? new Refused(call, CallRefusal.FAILED) : new Reply(call, incarnation, reply(result));
    }
}
