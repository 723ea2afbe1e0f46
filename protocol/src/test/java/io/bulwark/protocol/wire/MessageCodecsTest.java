package io.bulwark.protocol.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

final class MessageCodecsTest {
    private record Note(String text) implements Message {
        Note {
            if (text.isEmpty()) {
                throw new IllegalArgumentException("empty note");
            }
        }
    }

    private record Blob(Bytes bytes) implements Message {}

    private record Stranger() implements Message {}

    private record NoteCodec(int family, int type) implements MessageCodec {
        @Override
        public boolean handles(Message message) {
            return message instanceof Note;
        }

        @Override
        public int typeOf(Message message) {
            return type;
        }

        @Override
        public void write(Message message, WireWriter out) {
            out.string(((Note) message).text());
        }

        @Override
        public Message readBody(int type, WireReader in) {
            return new Note(in.string(100));
        }
    }

    private static final class BlobCodec implements MessageCodec {
        @Override
        public int family() {
            return 2;
        }

        @Override
        public boolean handles(Message message) {
            return message instanceof Blob;
        }

        @Override
        public int typeOf(Message message) {
            return 0x0201;
        }

        @Override
        public void write(Message message, WireWriter out) {
            out.bytes(((Blob) message).bytes());
        }

        @Override
        public Message readBody(int type, WireReader in) {
            if (type != 0x0201) {
                throw new MalformedException("unknown type " + type);
            }
            return new Blob(in.bytes(1 << 20));
        }
    }

    private final MessageCodecs codecs = new MessageCodecs(new NoteCodec(1, 0x0101), new BlobCodec());

    @Test
    void eachFamilyComesBackAsItWas() {
        assertThat(roundTrip(new Note("hello"))).isEqualTo(new Note("hello"));
        Blob blob = new Blob(Bytes.of(new byte[100_000]));
        assertThat(roundTrip(blob)).isEqualTo(blob);
    }

    @Test
    void largeSlicesTravelByReference() {
        byte[] large = new byte[100_000];
        assertThat(codecs.frame(1, new Blob(Bytes.of(large))).getLast().array()).isSameAs(large);
    }

    @Test
    void theTypeNumberDecidesWhoReads() {
        assertThat(codecs.knowsFamilyOf(0x01FF)).isTrue();
        assertThat(codecs.knowsFamilyOf(0x0301)).isFalse();
        assertThat(codecs.knowsFamilyOf(-1)).isFalse();
        assertThat(codecs.knowsFamilyOf(0x10101)).isFalse();
        assertThatThrownBy(() -> codecs.decode(new FrameHeader(0x0301, 1, 0, 0), Bytes.EMPTY))
                .isInstanceOf(MalformedException.class);
        assertThatThrownBy(() -> codecs.decode(new FrameHeader(0x0202, 1, 0, 0), Bytes.EMPTY))
                .isInstanceOf(MalformedException.class);
    }

    @Test
    void trailingBytesWrongLengthsAndRefusedValuesAreMalformed() {
        Bytes trailing = new WireWriter().string("x").u8(0).toBytes();
        assertThatThrownBy(() -> codecs.decode(new FrameHeader(0x0101, 1, trailing.length(), 0), trailing))
                .isInstanceOf(MalformedException.class)
                .hasMessageContaining("trailing");
        Bytes good = new WireWriter().string("x").toBytes();
        assertThatThrownBy(() -> codecs.decode(new FrameHeader(0x0101, 1, good.length() + 1, 0), good))
                .isInstanceOf(MalformedException.class);
        Bytes empty = new WireWriter().string("").toBytes();
        assertThatThrownBy(() -> codecs.decode(new FrameHeader(0x0101, 1, empty.length(), 0), empty))
                .isInstanceOf(MalformedException.class)
                .hasMessageContaining("empty note");
    }

    @Test
    void mistakesOfOurOwnAreRefused() {
        assertThatThrownBy(() -> new MessageCodecs(new NoteCodec(2, 0x0201), new BlobCodec()))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new MessageCodecs(new NoteCodec(256, 0x0101)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new MessageCodecs(new NoteCodec(1, 0x0201)).frame(1, new Note("x")))
                .isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> codecs.frame(1, new Stranger())).isInstanceOf(IllegalArgumentException.class);
    }

    private Message roundTrip(Message message) {
        List<Bytes> frame = codecs.frame(7, message);
        WireWriter all = new WireWriter();
        frame.forEach(all::raw);
        Bytes bytes = all.toBytes();
        FrameHeader header = FrameHeader.read(bytes.slice(0, FrameHeader.BYTES));
        Bytes body = bytes.slice(FrameHeader.BYTES, bytes.length() - FrameHeader.BYTES);
        assertThat(header.requestId()).isEqualTo(7);
        assertThat(header.covers(body)).isTrue();
        return codecs.decode(header, body);
    }
}
