package io.bulwark.simulation.exhaustive;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.Message;
import io.bulwark.protocol.wire.MessageCodec;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;

/**
 * A message under way, in its canonical bytes.
 *
 * @param to the number of the party
 * @param request whether it is for a server; else it is an answer to the operation of this id
 */
record Envelope(PrincipalId from, int to, long requestId, boolean request, int type, Bytes body) {
    static Envelope of(MessageCodec codec, PrincipalId from, int to, long requestId, boolean request, Message message) {
        WireWriter out = new WireWriter();
        codec.write(message, out);
        return new Envelope(from, to, requestId, request, codec.typeOf(message), out.toBytes());
    }

    Message message(MessageCodec codec) {
        return codec.read(type, new WireReader(body));
    }
}
