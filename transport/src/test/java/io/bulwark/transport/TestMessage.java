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
record TestMessage(Bytes bytes) implements Message {
    static final int TYPE = 0x0101;
    static final MessageCodecs CODECS = new MessageCodecs(new Codec());

    static TestMessage ofLength(int length, long seed) {
        byte[] bytes = new byte[length];
        new java.util.SplittableRandom(seed).nextBytes(bytes);
        return new TestMessage(Bytes.of(bytes));
    }

    static byte[] frame(long requestId, TestMessage letter) {
        return flat(CODECS, requestId, letter);
    }

    static byte[] flat(MessageCodecs codecs, long requestId, Message message) {
        WireWriter out = new WireWriter();
        codecs.frame(requestId, message).forEach(out::raw);
        return out.toBytes().toByteArray();
    }

    static final class Codec extends OneKind<TestMessage> {
        Codec() {
            super(TYPE, TestMessage.class);
        }

        @Override
        Bytes body(TestMessage letter) {
            return letter.bytes();
        }

        @Override
        TestMessage read(Bytes body) {
            return new TestMessage(body);
        }
    }

    /** A family of one kind of message. */
    abstract static class OneKind<M extends Message> implements MessageCodec {
        private final int type;
        private final Class<M> kind;

        OneKind(int type, Class<M> kind) {
            this.type = type;
            this.kind = kind;
        }

        abstract Bytes body(M message);

        abstract M read(Bytes body);

        @Override
        public int family() {
            return type >>> 8;
        }

        @Override
        public boolean handles(Message message) {
            return kind.isInstance(message);
        }

        @Override
        public int typeOf(Message message) {
            return type;
        }

        @Override
        public void write(Message message, WireWriter out) {
            out.raw(body(kind.cast(message)));
        }

        @Override
        public Message readBody(int read, WireReader in) {
            if (read != type) {
                throw new MalformedException("unknown type " + read);
            }
            return read(in.raw(in.remaining()));
        }
    }
}
