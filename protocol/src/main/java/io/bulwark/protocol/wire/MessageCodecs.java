package io.bulwark.protocol.wire;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** The families of messages that one party speaks, each under its own family number. */
public final class MessageCodecs {
    private static final int FAMILIES = 256;

    private final List<MessageCodec> codecs;
    private final @Nullable MessageCodec[] byFamily = new @Nullable MessageCodec[FAMILIES];

    /** @throws IllegalArgumentException if two codecs claim one family, or a family is not in 0..255 */
    public MessageCodecs(MessageCodec... codecs) {
        this.codecs = List.of(codecs);
        for (MessageCodec codec : codecs) {
            int family = codec.family();
            if (family < 0 || family >= FAMILIES || byFamily[family] != null) {
                throw new IllegalArgumentException("family " + family + " is taken or out of range");
            }
            byFamily[family] = codec;
        }
    }

    /**
     * Returns whether the type number belongs to one of these families; allows refusing a frame before its body is
     * read.
     */
    public boolean knowsFamilyOf(int type) {
        return type >= 0 && type >>> 8 < FAMILIES && byFamily[type >>> 8] != null;
    }

    /**
     * The frame of a message, ready to send: header first, large slices by reference.
     *
     * @throws IllegalArgumentException if the message is of none of these families, or longer than a frame may be
     */
    public List<Bytes> frame(long requestId, Message message) {
        MessageCodec codec = codecOf(message);
        int type = codec.typeOf(message);
        if (type >>> 8 != codec.family()) {
            throw new IllegalStateException("type " + type + " is not of family " + codec.family());
        }
        WireWriter body = new WireWriter();
        codec.write(message, body);
        return FrameHeader.frame(type, requestId, body);
    }

    /**
     * The message of a frame whose checksum the caller has checked ({@link FrameHeader#covers}).
     *
     * @throws MalformedException on an unknown type, a body of another length than the header's, a value out of bounds,
     *     or trailing bytes
     */
    public Message decode(FrameHeader header, Bytes body) {
        MessageCodec codec = knowsFamilyOf(header.type()) ? byFamily[header.type() >>> 8] : null;
        if (codec == null) {
            throw new MalformedException("unknown type " + header.type());
        }
        if (body.length() != header.bodyLength()) {
            throw new MalformedException("body of " + body.length() + " bytes, not " + header.bodyLength());
        }
        return codec.read(header.type(), new WireReader(body));
    }

    private MessageCodec codecOf(Message message) {
        for (MessageCodec codec : codecs) {
            if (codec.handles(message)) {
                return codec;
            }
        }
        throw new IllegalArgumentException("no codec for " + message.getClass().getName());
    }
}
