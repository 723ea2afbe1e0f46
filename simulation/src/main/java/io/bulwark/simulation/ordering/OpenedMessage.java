package io.bulwark.simulation.ordering;

import io.bulwark.protocol.ordering.key.KeyMessage.Authentic;
import io.bulwark.protocol.ordering.key.KeyMessageCodec;
import io.bulwark.protocol.ordering.message.ReplicaMessage;
import io.bulwark.protocol.wire.Message;
import io.bulwark.protocol.wire.MessageCodec;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;

/**
 * A message under a session key, which a trace shows as its content. It travels, and arrives, in authenticated form.
 */
record OpenedMessage(ReplicaMessage message, Authentic authentic) implements Message {
    @Override
    public String toString() {
        return message.toString();
    }

    /** Writes what {@link KeyMessageCodec} reads. */
    static final class Codec implements MessageCodec {
        private final KeyMessageCodec keys = new KeyMessageCodec();

        @Override
        public int family() {
            return keys.family();
        }

        @Override
        public boolean handles(Message message) {
            return message instanceof OpenedMessage;
        }

        @Override
        public int typeOf(Message message) {
            return keys.typeOf(((OpenedMessage) message).authentic());
        }

        @Override
        public void write(Message message, WireWriter out) {
            keys.write(((OpenedMessage) message).authentic(), out);
        }

        @Override
        public Message readBody(int type, WireReader in) {
            return keys.readBody(type, in);
        }
    }
}
