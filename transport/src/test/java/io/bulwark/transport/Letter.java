package io.bulwark.transport;

import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.Message;
import io.bulwark.protocol.wire.MessageCodec;
import io.bulwark.protocol.wire.MessageCodecs;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import org.jspecify.annotations.NullMarked;

/** The message of these tests: its bytes are its body, from none to as many as fit. */
@NullMarked
record Letter(Bytes bytes) implements Message {
    static final int TYPE = 0x0101;
    static final MessageCodecs CODECS = new MessageCodecs(new Codec());

    static Letter ofLength(int length, long seed) {
        byte[] bytes = new byte[length];
        new java.util.SplittableRandom(seed).nextBytes(bytes);
        return new Letter(Bytes.of(bytes));
    }

    static byte[] frame(long requestId, Letter letter) {
        return flat(CODECS, requestId, letter);
    }

    static byte[] flat(MessageCodecs codecs, long requestId, Message message) {
        WireWriter out = new WireWriter();
        codecs.frame(requestId, message).forEach(out::raw);
        return out.toBytes().toByteArray();
    }

    static final class Codec implements MessageCodec {
        @Override
        public int family() {
            return TYPE >>> 8;
        }

        @Override
        public boolean handles(Message message) {
            return message instanceof Letter;
        }

        @Override
        public int typeOf(Message message) {
            return TYPE;
        }

        @Override
        public void write(Message message, WireWriter out) {
            out.raw(((Letter) message).bytes());
        }

        @Override
        public Message readBody(int type, WireReader in) {
            if (type != TYPE) {
                throw new MalformedException("unknown type " + type);
            }
            return new Letter(in.raw(in.remaining()));
        }
    }
}
