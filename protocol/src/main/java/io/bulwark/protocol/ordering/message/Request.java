package io.bulwark.protocol.ordering.message;

import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.ordering.OrderingMessage;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;

/**
 * Request of a client for ordering.
 *
 * @param call the client's number of this request; together with the client it identifies the request
 * @param query true if the operation is a query, answered at its place in the order
 */
public record Request(PrincipalId client, long call, boolean query, Bytes operation) {
    /** The bytes of a request without its operation. */
    private static final int HEAD_BYTES = 18;

    public Request {
        if (operation.length() > OrderingMessage.COMMAND_BYTES_MAX) {
            throw new IllegalArgumentException("an operation of " + operation.length() + " bytes");
        }
    }

    /** Its name, computed anew each time. */
    public RequestId id() {
        WireWriter head = new WireWriter(HEAD_BYTES);
        writeHead(head);
        return new RequestId(client, call, Hashes.sha256(head.toBytes(), operation));
    }

    /** Client, call, kind, and the operation with its length. */
    public void write(WireWriter out) {
        writeHead(out);
        out.raw(operation);
    }

    private void writeHead(WireWriter out) {
        client.write(out);
        out.i64(call).bool(query).i32(operation.length());
    }

    public static Request read(WireReader in) {
        return new Request(PrincipalId.read(in), in.i64(), in.bool(), in.bytes(OrderingMessage.COMMAND_BYTES_MAX));
    }
}
