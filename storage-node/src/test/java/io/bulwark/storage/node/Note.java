package io.bulwark.storage.node;

import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.Message;
import io.bulwark.protocol.wire.MessageCodec;
import io.bulwark.protocol.wire.MessageCodecs;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;

/** The one message of a protocol that uses each effect once. */
record Note(Verb verb, BlockId block, Bytes text) implements Message {
    static final MessageCodecs CODECS = new MessageCodecs(new Codec());

    enum Verb {
        /** Stores the text, answers when it is durable. */
        PUT,
        /** Answers the text that is stored. */
        GET,
        /** Returns the replicas' answer about the sender's grant. */
        ASK,
        /** Gets the block's text from another node, whose number is the text. */
        RUN,
        /** Answers how many records of the block's session this server sees. */
        COUNT,
        /** Reports the sender. */
        ACCUSE,
        /** Breaks an invariant. */
        THROW,
        /** The answer to the other verbs. */
        ANSWER
    }

    private static final class Codec implements MessageCodec {
        @Override
        public int family() {
            return 0x70;
        }

        @Override
        public boolean handles(Message message) {
            return message instanceof Note;
        }

        @Override
        public int typeOf(Message message) {
            return 0x7000;
        }

        @Override
        public void write(Message message, WireWriter out) {
            Note note = (Note) message;
            out.u8(note.verb.ordinal());
            note.block.write(out);
            out.bytes(note.text);
        }

        @Override
        public Message readBody(int type, WireReader in) {
            return new Note(Verb.values()[in.u8()], BlockId.read(in), in.bytes(1 << 20));
        }
    }
}
